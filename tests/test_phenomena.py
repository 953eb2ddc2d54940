"""Perplexity by phenomenon, also of every epoch: every prediction is counted once, under what decides it."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from common.chapters import chapter_module
from common.evaluation.perplexity import evaluate
from common.programs.chapters import load_run
from common.text.corpus import load_corpus
from data.oracle import token_log_probs
from data.phenomena import by_label, labels_of, oracle_log_probs, phenomena_table
from tests.programs import CHAPTER, TINY, make_call, metrics_of, run_python, write_small_village
from tools import by_epoch


def test_by_hand() -> None:
    labels = [["local", "recall", "local"], ["recall", "local"]]
    log_probs = [np.log([0.5, 0.1, 0.25]), np.log([0.4, 1.0])]
    groups = by_label(labels, log_probs)
    assert {label: words for label, (words, _) in groups.items()} == {"local": 3, "recall": 2}
    assert groups["local"][1] == pytest.approx((0.5 * 0.25 * 1.0) ** (-1 / 3))
    assert groups["recall"][1] == pytest.approx((0.1 * 0.4) ** (-1 / 2))


def test_the_parts_make_up_the_oracle() -> None:
    sentences = load_corpus("village").test[:50]
    groups = by_label(labels_of(sentences), oracle_log_probs(sentences))
    assert {"local", "selection", "agreement", "recall", "topic", "name"} == groups.keys()
    total = math.fsum(words * math.log(perplexity) for words, perplexity in groups.values())
    assert total == pytest.approx(-math.fsum(sum(token_log_probs(sentence)) for sentence in sentences))
    assert groups["recall"][1] < 2 < groups["name"][1]


def test_the_table_has_a_column_a_model() -> None:
    sentences = load_corpus("village").test[:5]
    even = [[math.log(1 / 50)] * (len(sentence) + 1) for sentence in sentences]
    heading, *rows = phenomena_table(sentences, {"even": even}).splitlines()
    assert heading.split() == ["decided", "by", "words", "oracle", "even"]
    assert all(row.split()[-1] == "50.00" for row in rows)
    assert sum(int(row.split()[1]) for row in rows) == sum(len(sentence) + 1 for sentence in sentences)


# --- python -m tools.by_epoch


def test_each_epoch_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the best epoch's line is what the model of the run has; and a run is measured without being changed."""
    program, call = chapter_module(CHAPTER, "train"), make_call(monkeypatch)
    for name in ("begin", "evaluate"):  # to be put back
        monkeypatch.setattr(program, name, getattr(program, name))
    village = load_corpus(str(write_small_village(tmp_path / "small")))
    flags = [*map(str, TINY), f"--corpus={village.folder}", "--unk", "uniform", "--epochs", "2"]
    call("train", *flags, "--run-dir", tmp_path / "plain")
    by_epoch.train(CHAPTER, [*flags, "--run-dir", str(tmp_path / "run")])
    rows = [json.loads(line) for line in (tmp_path / "run" / "by_epoch.jsonl").read_text("utf-8").splitlines()]
    metrics = metrics_of(tmp_path / "run")
    best = min(range(2), key=lambda epoch: metrics["epochs"][epoch]["dev_perplexity"])
    model, _ = load_run(tmp_path / "run")
    assert len(rows) == 2 and rows[0] != rows[1]
    assert rows[best]["test"]["perplexity"] == pytest.approx(evaluate(model, village.test, "uniform").perplexity)
    labels = {label for sentence in labels_of(village.dev) for label in sentence}
    assert rows[0]["dev"].keys() == {"perplexity", *labels}
    assert metrics_of(tmp_path / "plain")["test"] == metrics["test"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("03_neural_networks", "03_neural_networks: only for a language model"),
        ("chapters/07_encoder_decoder", "07_encoder_decoder: only for a language model"),
        ("06_attentive_lm --memory-states 5", "06_attentive_lm, --memory-states 5"),
        ("05_rnn_lm --corpus village_paragraphs", "the village grammar does not allow"),
        ("6", "6: not a chapter with settings"),
    ],
)
def test_what_cannot_be_measured_by_epoch(arguments: str, line: str, tmp_path: Path) -> None:
    done = run_python("-m", "tools.by_epoch", *arguments.split(), "--run-dir", str(tmp_path / "run"))
    assert done.returncode == 2 and done.stderr.startswith(f"error: {line}") and not (tmp_path / "run").exists()
