"""`python -m tools.by_epoch`: what each epoch has learnt is what its model has, and training stays as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from common.evaluation.perplexity import evaluate
from common.programs.chapters import load_run
from common.text.corpus import load_corpus
from data.phenomena import by_label, labels_of
from tests.programs import TINY, metrics_of, run_python, write_small_village

CHAPTER = "06_attentive_lm"


@pytest.mark.slow
def test_each_epoch_is_measured(tmp_path: Path) -> None:
    corpus = write_small_village(tmp_path / "small")
    flags = [*map(str, TINY), "--corpus", str(corpus), "--unk", "uniform", "--epochs", "2"]
    done = run_python("-m", "tools.by_epoch", f"chapters/{CHAPTER}", *flags, "--run-dir", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "run" / "by_epoch.jsonl").read_text("utf-8").splitlines()]
    best = min(range(2), key=lambda epoch: metrics_of(tmp_path / "run")["epochs"][epoch]["dev_perplexity"])
    model, _ = load_run(tmp_path / "run")
    village = load_corpus("village")
    assert len(rows) == 2 and rows[0] != rows[1]
    assert rows[best]["test"]["perplexity"] == pytest.approx(evaluate(model, village.test, "uniform").perplexity)
    labels = {label for sentence in labels_of(village.dev) for label in sentence}
    assert rows[0]["dev"].keys() == {"perplexity", *labels}

    plain = run_python(f"chapters/{CHAPTER}/train.py", *flags, "--run-dir", str(tmp_path / "plain"))
    assert plain.returncode == 0
    assert metrics_of(tmp_path / "plain")["test"] == metrics_of(tmp_path / "run")["test"]


def test_a_run_needs_a_folder() -> None:
    done = run_python("-m", "tools.by_epoch", CHAPTER, "--epochs", "1")
    assert done.returncode == 2 and done.stderr.startswith("error: --run-dir: name the folder")


def test_names_that_come_back_are_a_phenomenon() -> None:
    """Their perplexity is that of their own predictions alone."""
    labels = [["local", "recall"], ["recall"]]
    assert by_label(labels, [[-1.0, -2.0], [-4.0]])["recall"] == (2, pytest.approx(20.0855, rel=1e-4))
