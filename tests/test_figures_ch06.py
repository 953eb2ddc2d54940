"""What chapter 6's lesson prints and draws: the worked example beside plain arithmetic, and the recorded runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from book.figures import ch06_record
from book.figures.ch06 import CHAPTER
from book.figures.recorded import recorded
from book.worked import ch06 as worked
from common.text.corpus import load_corpus
from data.oracle import phenomena
from tests.attention_reference import softmax
from tests.programs import edit_settings, make_call, write_small_village


@pytest.mark.equation("salton2017", 3, 4, 9, 10)
@pytest.mark.parametrize("query", [None, *worked.QUERIES.values()])
def test_the_worked_example_is_plain_arithmetic(query: np.ndarray | None) -> None:
    scores = np.tanh(worked.MEMORY + (0 if query is None else 2 * query)).sum(axis=1)
    np.testing.assert_allclose(worked.scores(query), scores, atol=1e-6)
    np.testing.assert_allclose(worked.weights(query), softmax(scores), atol=1e-6)
    np.testing.assert_allclose(worked.context(query), softmax(scores) @ worked.MEMORY, atol=1e-6)


def test_the_gradient_of_a_score_is_its_weight_times_its_advantage() -> None:
    """The derivation of the lesson, against DyNet's gradient and against finite differences."""
    weights, use = softmax(worked.scores()), worked.MEMORY @ worked.GRADIENT
    derived = weights * (use - weights @ use)
    np.testing.assert_allclose(worked.gradient_by_score(), derived, atol=1e-6)
    for place in range(3):
        moved = [softmax(worked.scores() + h * np.eye(3)[place]) @ use for h in (1e-5, -1e-5)]
        assert np.isclose((moved[0] - moved[1]) / 2e-5, derived[place], atol=1e-8)


def test_a_gradient_reaches_a_state_by_its_weight_and_through_its_score() -> None:
    """What the lesson says of the short way back, against finite differences."""
    weights = softmax(worked.scores())
    through = worked.gradient_by_score()[:, None] * (1 - np.tanh(worked.MEMORY) ** 2)
    derived = weights[:, None] * worked.GRADIENT + through

    def loss(memory: np.ndarray) -> float:
        return float(softmax(np.tanh(memory).sum(axis=1)) @ memory @ worked.GRADIENT)

    for place in np.ndindex(worked.MEMORY.shape):
        step = np.zeros_like(worked.MEMORY)
        step[place] = 1e-5
        slope = (loss(worked.MEMORY + step) - loss(worked.MEMORY - step)) / 2e-5
        assert np.isclose(slope, derived[place], atol=1e-6)


def test_a_query_without_the_bend_of_tanh_changes_nothing() -> None:
    for query in worked.QUERIES.values():
        np.testing.assert_allclose(softmax((worked.MEMORY + 2 * query).sum(axis=1)), softmax(worked.MEMORY.sum(axis=1)))


def test_returns_are_names_that_the_sentence_has_had() -> None:
    words = ch06_record.SENTENCE.split()
    assert ch06_record.returns(words) == [(8, 6), (10, 10)]
    assert [words[place] for place, _ in ch06_record.returns(words)] == ["floran", "orlek"]
    assert phenomena(words)[8] == phenomena(words)[10] == "recall"


@pytest.mark.slow
def test_what_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiny runs give everything that the figures read, in the same form; weights sum to one and see no future."""
    call, corpus, runs = make_call(monkeypatch, CHAPTER), write_small_village(tmp_path / "village"), {}
    for score in ch06_record.SCORES:
        runs[score] = [tmp_path / score]
        flags = ["--epochs", 1, "--hidden-size", 4, "--score", score, "--run-dir", tmp_path / score]
        call("train", *flags, "--corpus", corpus)
        edit_settings(tmp_path / score, corpus="village")  # whose sentences these are
    record = ch06_record.measure(runs, load_corpus("village").test[:60])
    published = recorded(CHAPTER)
    assert record.keys() == published.keys() - {"command", "settings"}
    assert record["phenomena"].keys() == published["phenomena"].keys()
    for score, weights in record["attention"].items():
        matrix = np.array(weights)
        np.testing.assert_allclose(matrix.sum(axis=1), [0, *[1] * (len(matrix) - 1)], atol=1e-5)
        assert not np.triu(matrix).any()
        for case in record["attended"][score].values():
            assert np.isclose(sum(case.values()), 1, atol=1e-5)
    assert (
        sum(bucket["returns"] for bucket in published["distances"]) == published["phenomena"]["recall"]["predictions"]
    )
