"""What lab 2 shows: votes, softmax, steps and optimisers, against NumPy in float64 and finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest

from book.counted import distribution
from book.labs.views import ch02 as views
from common.errors import UserError
from data.oracle import next_word_probs

HISTORY = "the hen that belongs to dora waits until"


@pytest.mark.slow
def test_all_parts_together_are_the_model() -> None:
    model, text, _ = views.trained()
    np.testing.assert_allclose(views.probs(HISTORY, views.PARTS), distribution(model, HISTORY.split()), rtol=1e-4)
    assert np.isclose(views.probs(HISTORY, ()), 1 / len(text.vocab)).all()  # nobody votes: all words are equal


@pytest.mark.slow
def test_the_stacked_votes_end_at_the_scores() -> None:
    left, right = views.features(HISTORY, True, True, False, True, False).axes
    names = [label.get_text() for label in left.get_yticklabels()]
    places = [views.trained()[1].vocab.ids[name] for name in names]
    votes = views.parts(HISTORY)
    on = ("b", "word1", "class1")
    scores = sum(votes[name] - votes[name].mean() for name in on)[places]
    marks = next(line for line in left.lines if line.get_label() == "sum")
    np.testing.assert_allclose(marks.get_xdata(), scores, rtol=1e-9)
    widths = [bar.get_width() for bar in right.patches]
    np.testing.assert_allclose(widths[: len(names)], np.exp(scores) / np.exp(scores).sum()
                               * sum(widths[: len(names)]), rtol=1e-9)  # fmt: skip
    truth = next_word_probs(HISTORY.split())
    assert widths[len(names) :] == [truth.get(name, 0) for name in names]
    assert max(truth, key=truth.get) in names


def test_an_empty_history_is_refused_before_anything_is_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "trained", None)
    with pytest.raises(UserError, match="history is empty"):
        views.features("  ", True, True, True, True, True)


def test_a_constant_changes_no_probability() -> None:
    heights = [[bar.get_height() for bar in views.four_scores(2.0, 1.5, -1.0, -1.5, constant).axes[1].patches]
               for constant in (0.0, 3.0)]  # fmt: skip
    np.testing.assert_allclose(heights[0], heights[1], rtol=1e-12)
    powers = [math.exp(score) for score in (2.0, 1.5, -1.0, -1.5)]
    np.testing.assert_allclose(heights[0], np.array(powers) / sum(powers), rtol=1e-12)


@pytest.mark.parametrize("came", ["giggles", "feeds", "ponies", "."])
def test_a_step_follows_the_gradient(came: str) -> None:
    """A small step lowers the loss by the rate times the squared gradient, which finite differences give."""
    number, rate = views.namespace("02")["words"].index(came), 1e-5

    def loss(scores: np.ndarray) -> float:
        return float(np.log(np.exp(scores).sum()) - scores[number])

    scores = views.namespace("02")["s"]
    moves = np.eye(4) * 1e-5
    slopes = np.array([(loss(scores + move) - loss(scores - move)) / 2e-5 for move in moves])
    before, after, at_first, then = views.one_step(rate, came)
    assert math.isclose(at_first, loss(scores), rel_tol=1e-9)
    columns = 3  # the base scores and two features, each of which moves
    assert math.isclose((at_first - then) / rate, columns * (slopes**2).sum(), rel_tol=1e-3)
    assert after[number] > before[number]
    assert views.step(0.5, came).axes[0].patches[4].get_height() == views.one_step(0.5, came)[1][0]


def test_no_sum_of_votes_reaches_the_truth() -> None:
    probs, loss = views.sums_loss(0.3, -0.2, 0.7, 0.1)
    assert math.isclose(probs[1, 0], 1 / (1 + math.exp(-0.5)), rel_tol=1e-12)
    expected = -np.mean([views.HAY * np.log(probs), (1 - views.HAY) * np.log(1 - probs)]) * 2
    assert math.isclose(loss, expected, rel_tol=1e-12)
    least = -(views.HAY * np.log(views.HAY) + (1 - views.HAY) * np.log(1 - views.HAY)).mean()
    draws = np.random.default_rng(2).normal(size=(2000, 4)) * 2
    assert min(views.sums_loss(*draw)[1] for draw in draws) > least + 0.05
    heights = [bar.get_height() for bar in views.sums(0.3, -0.2, 0.7, 0.1).axes[0].patches[:4]]
    np.testing.assert_allclose(heights, probs.ravel())
