"""Scoring and translating keep no more than a window of sentences, however many there are."""

from __future__ import annotations

import io
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

from common.errors import UserError
from common.evaluation.perplexity import evaluate, sentence_log_probs
from common.programs import arguments, generation, translating
from common.programs.arguments import stream_input, windows
from common.programs.generation import score
from common.text import corpus
from common.text.corpus import stream_sentences
from common.text.trees import TreeVocabulary
from common.text.vocab import Vocabulary
from tests.memory_models import make_model


def test_windows_are_bounded_by_number_and_by_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = [["a"] * length for length in (1, 2, 3, 50, 1, 1, 1, 1, 200, 1)]
    assert [len(part) for part in windows(sentences, 4)] == [4, 4, 2]
    monkeypatch.setattr(arguments, "AT_ONCE", 53)
    parts = list(windows(sentences, 4, len))
    assert [len(part) for part in parts] == [3, 4, 1, 1, 1], "a sentence that costs too much comes alone"
    assert [item for part in parts for item in part] == sentences


def test_sentences_are_read_when_they_are_asked_for() -> None:
    file = io.BytesIO(b"a b\n" * 5 + b"\n" + b"c\n" * 100_000)
    sentences = stream_sentences(file, "here")
    assert [next(sentences) for _ in range(5)] == [["a", "b"]] * 5 and file.tell() == 20
    with pytest.raises(UserError, match="here, line 6: an empty line"):
        next(sentences)


def test_a_line_is_not_read_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "LONGEST_LINE", 50)
    file = io.BytesIO(b"a\n" + b"b" * 10_000)
    with pytest.raises(UserError, match="here, line 2: more than 50 bytes; is it one sentence per line"):
        list(stream_sentences(file, "here"))
    assert file.tell() < 60


def test_scores_come_before_the_input_ends(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    """Window by window: the first is printed before the third is read, in the order of the input."""
    model, rng = make_model("LSTM"), np.random.default_rng(3)
    sentences = [[f"w{word}" for word in rng.integers(2, 30, rng.integers(1, 9))] for _ in range(25)]
    monkeypatch.setattr(generation, "SCORED_AT_ONCE", 10)
    printed = []

    def arriving() -> Iterator[list[str]]:
        for number, sentence in enumerate(sentences):
            if number == 21:
                printed.append(capsys.readouterr().out)
            yield sentence

    score(model, arriving(), "token")
    rest = capsys.readouterr()
    assert len(printed[0].splitlines()) == 20
    actual = [float(line) for line in (printed[0] + rest.out).splitlines()]
    expected = [item.sum() for item in sentence_log_probs(model, sentences)]
    np.testing.assert_allclose(actual, expected, atol=2e-5)
    whole = evaluate(model, sentences, "token")
    assert f"25 sentences, {whole.predictions} predictions, 0 unknown words" in rest.err
    assert f"perplexity {whole.perplexity:.2f}; log-likelihood {whole.log_prob:.2f}" in rest.err


def test_a_file_that_is_missing_is_told_in_one_line(capsys: pytest.CaptureFixture) -> None:
    """Also to a model of trees, which says that it was given none."""
    model = SimpleNamespace(source_vocab=TreeVocabulary(Vocabulary(["a"])))
    with pytest.raises(UserError, match="nowhere.txt"):
        next(translating.add_trees(stream_input("nowhere.txt"), model, None))
    assert capsys.readouterr().err == ""
    assert list(translating.add_trees(iter([["a"], ["b"]]), model, None)) == [["a"], ["b"]]
    assert capsys.readouterr().err.count("no --trees") == 1


def test_a_bad_sentence_is_named_by_its_place_in_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "SCORED_AT_ONCE", 4)
    sentences = [["w3"]] * 9 + [["w3", "elephant"]]
    with pytest.raises(UserError, match="the input, sentence 10: the word 'elephant'"):
        score(make_model("LSTM"), sentences, "closed")
