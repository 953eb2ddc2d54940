"""The programs with pieces in place of words, from the beginning to the end: what they report and print is of words."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from common.errors import UserError
from common.evaluation.metrics import bleu, chrf
from common.programs.chapters import load_run
from common.search.length_prior import LengthPrior
from common.search.translation import target_log_probs
from common.text.pairs import load_pairs
from common.text.subwords import FILE, MARK, PairSplitter
from tests.pairs import write_pairs
from tests.programs import Call, Refused, call_and_kill, comparable, leftovers, make_call, metrics_of, write_lines
from tools.analyse.phenomena import model_and_splitter, model_of, pair_log_probs

SMALL = ["--hidden-size", "6", "--epochs", "3", "--batch-size", "8", "--learning-rate", "0.02", "--subwords", "45"]
CHAPTER = "07_encoder_decoder"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs with an oracle that gives each target word a half."""
    folder = write_pairs(tmp_path_factory.mktemp("subwords") / "farm")
    facts = '{"perplexity": 2.0, "known_perplexity": 2.0, "known_predictions": 7}'
    write_lines(folder / "oracle.json", [f'{{"dev": {facts}, "test": {facts}}}'])
    return folder


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, corpus: Path) -> Path:
    run = tmp_path_factory.mktemp("runs") / "pieces"
    with pytest.MonkeyPatch.context() as monkeypatch:
        make_call(monkeypatch, CHAPTER)("train", *SMALL, "--corpus", corpus, "--run-dir", run)
    return run


def test_phenomena_are_of_words(trained: Path, corpus: Path) -> None:
    """Each word of a model of pieces is compared with the same word of the others."""
    model, splitter = model_and_splitter(trained, str(corpus))
    pairs = load_pairs(str(corpus)).test
    actual = pair_log_probs(model, splitter, pairs)
    by_pieces = target_log_probs(model, splitter.pairs(pairs), "token")
    for pair, words, pieces in zip(pairs, actual, by_pieces, strict=True):
        numbers = [len(splitter.target([word])) for word in pair.target] + [1]
        ends = np.cumsum(numbers)
        assert max(numbers) > 1 and ends[-1] == len(pieces)
        sums = [pieces[end - number : end].sum() for end, number in zip(ends, numbers, strict=True)]
        assert list(words) == pytest.approx(sums)
    with pytest.raises(UserError, match="works on words"):
        model_of(trained, str(corpus))


def test_a_run_with_pieces_reports_on_words(trained: Path, corpus: Path) -> None:
    model, run_settings = load_run(trained)
    splitter = PairSplitter.load(trained, model.source_vocab, model.vocab)
    pairs, metrics = load_pairs(str(corpus)), metrics_of(trained)
    assert run_settings.subwords == 45 and metrics["settings"]["subwords"] == 45
    for split in ("dev", "test"):
        figures, of_words = metrics[split], getattr(pairs, split)
        of_pieces = splitter.pairs(of_words)
        total = sum(row.sum() for row in target_log_probs(model, of_pieces, "uniform"))
        numbers = [sum(len(pair.target) + 1 for pair in part) for part in (of_words, of_pieces)]
        assert numbers[1] > numbers[0]
        assert figures["log_prob"] == pytest.approx(total, rel=1e-6)
        assert [figures["predictions"], figures["piece_predictions"]] == numbers
        assert figures["perplexity"] == pytest.approx(math.exp(-total / numbers[0]), rel=1e-6)
        assert figures["piece_perplexity"] == pytest.approx(math.exp(-total / numbers[1]), rel=1e-6)
        assert figures["oracle_perplexity"] == 2 and "oracle_known_perplexity" not in figures
        assert figures["oracle_piece_perplexity"] == pytest.approx(math.exp(numbers[0] * math.log(2) / numbers[1]))
        text = (trained / f"{split}.hypotheses.txt").read_text("utf-8")
        assert MARK not in text
        actual = [line.split() for line in text.splitlines()]
        references = [pair.target for pair in of_words]
        assert figures["bleu"] == pytest.approx(bleu(actual, references).value)
        assert figures["chrf"] == pytest.approx(chrf(actual, references).value) and figures["chrf"] > 1
    history = metrics["epochs"]
    best = min(record["dev_perplexity"] for record in history)
    assert best == pytest.approx(metrics["dev"]["piece_perplexity"], rel=1e-5)
    log = (trained / "log.txt").read_text("utf-8")
    output = log[log.index("\n  source ") :]
    assert MARK in log and MARK not in output, "the pairs are shown in pieces, the translations in words"
    assert f"{metrics['test']['perplexity']:.2f}" in log and f"{metrics['test']['piece_perplexity']:.2f}" in log
    assert leftovers(trained) == []


def test_resuming_takes_the_pieces_of_the_run(
    call: Call, corpus: Path, tmp_path: Path, trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = tmp_path / "killed"
    call_and_kill(call, monkeypatch, *SMALL, "--corpus", corpus, "--run-dir", killed)
    assert (killed / FILE).read_bytes() == (trained / FILE).read_bytes()

    def forbidden(*arguments: object) -> None:
        raise AssertionError("learnt again")

    monkeypatch.setattr("common.text.subwords.learn", forbidden)
    call("train", "--resume", "--run-dir", killed)
    assert comparable(killed) == comparable(trained)
    assert (killed / "test.hypotheses.txt").read_bytes() == (trained / "test.hypotheses.txt").read_bytes()


def test_translating_takes_and_prints_words(
    call: Call, trained: Path, corpus: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = (trained / "test.hypotheses.txt").read_text("utf-8").splitlines()
    capsys.readouterr()
    call("translate", corpus / "test.source", "--run", trained)
    assert capsys.readouterr().out.splitlines() == expected
    call("translate", corpus / "test.source", "--run", trained, "--ensemble", trained)
    assert capsys.readouterr().out.splitlines() == expected
    counted, count = [], LengthPrior.__init__

    def watched(self, lengths: Iterable[tuple[int, int]]) -> None:
        counted.extend(lengths)
        count(self, counted)

    monkeypatch.setattr(LengthPrior, "__init__", watched)
    call("translate", corpus / "test.source", "--run", trained, "--beam", 3, "--nbest", 2, "--length", "prior")
    assert MARK not in capsys.readouterr().out
    in_words = [len(pair.target) for pair in load_pairs(str(corpus)).train]
    assert all(target > words for (_, target), words in zip(counted, in_words, strict=True)), "lengths are in pieces"


def test_one_line_for_what_cannot_be(
    call: Call, refused: Refused, trained: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags, run = [*SMALL, "--epochs", 1, "--corpus", corpus], tmp_path / "run"
    for number, complaint in (
        (4000, "--subwords 4000: the training text has only"),
        ("letters", "'letters': write a number of pieces, or characters"),
        (-1, "--subwords -1"),
    ):
        assert complaint in refused("train", *flags, "--subwords", number, "--run-dir", run)
    assert "this run began with 45" in refused("train", "--resume", "--subwords", 44, "--run-dir", trained)
    assert "works on words" in refused("compare_search", "--run", trained)
    assert not run.exists()
    for name, number in (("others", 40), ("whole", 0)):
        call("train", *flags, "--subwords", number, "--run-dir", tmp_path / name)
        line = refused("translate", corpus / "test.source", "--run", trained, "--ensemble", tmp_path / name)
        assert "different vocabularies" in line and "--subwords" in line
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    assert "needs the package sentencepiece" in refused("train", *flags, "--run-dir", run)
    assert "needs the package sentencepiece" in refused("translate", corpus / "test.source", "--run", trained)
    assert not run.exists()


def test_a_line_of_unknown_letters_is_refused_before_training(refused: Refused, tmp_path: Path) -> None:
    """Its one word would make the perplexity of words infinite, which no metrics.json can hold."""
    corpus, run = write_pairs(tmp_path / "farm"), tmp_path / "run"
    lines = (corpus / "test.target").read_text("utf-8").splitlines()
    write_lines(corpus / "test.target", [*lines[:3], "☃" * 4000, *lines[4:]])
    line = refused("train", *SMALL, "--corpus", corpus, "--run-dir", run)
    assert "test.target, sentence 4: 4,000 unknown pieces; with so many the perplexity" in line
    assert not run.exists()
