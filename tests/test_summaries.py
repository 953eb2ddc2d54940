"""A corpus that says that its targets are summaries is judged by ROUGE and BLEU, from the training on."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.evaluation import rouge as rouge_metric
from common.evaluation.metrics import bleu
from common.evaluation.rouge import rouge
from common.text.pairs import load_pairs
from tests.pairs import write_pairs
from tests.programs import Call, make_refused, metrics_of, write_lines

CHAPTER = "07_encoder_decoder"
SMALL = ["--hidden-size", "6", "--epochs", "1", "--batch-size", "8"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = write_pairs(tmp_path / "headlines")
    write_lines(folder / "corpus.json", ['{"task": "summarisation"}'])
    return folder


def test_a_run_reports_rouge(call: Call, corpus: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    call("train", *SMALL, "--epochs", 6, "--learning-rate", 0.05, "--corpus", corpus, "--run-dir", run)
    figures = metrics_of(run)["test"]
    actual = [line.split() for line in (run / "test.hypotheses.txt").read_text("utf-8").splitlines()]
    references = [pair.target for pair in load_pairs(str(corpus)).test]
    scores = rouge(actual, references)
    assert scores["rouge1"].value > 10, "this test is about something"
    for kind, score in scores.items():
        assert figures[kind] == pytest.approx(score.value)
    assert figures["bleu"] == pytest.approx(bleu(actual, references).value)
    assert figures["rouge_signature"] == scores["rougeL"].signature and "chrf" not in figures
    log = (run / "log.txt").read_text("utf-8")
    assert f"{figures['rougeL']:.2f}" in log and "ROUGE-L" in log and figures["rouge_signature"] in log
    assert figures["signature"] in log and "chrF" not in log


def test_the_package_is_asked_for_before_anything_is_trained(
    call: Call, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(rouge_metric, "find_spec", lambda name: None)
    line = make_refused(call, capsys)("train", *SMALL, "--corpus", corpus, "--run-dir", tmp_path / "run")
    assert "the package rouge-score; run: pip install rouge-score" in line
    assert not (tmp_path / "run").exists()
