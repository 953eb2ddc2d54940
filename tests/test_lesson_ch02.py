"""The cells of chapter 2 compute what the chapter's own model and optimisers do."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from book.figures.ch02_data import positions
from book.lessons.cells import namespace
from chapters.loglinear_lm import model, sparse
from chapters.loglinear_lm.optimisers import OPTIMISERS, SGD

LESSON = namespace("02")
START = SimpleNamespace(W=np.stack([LESSON["girl"], LESSON["the"]]), b=LESSON["b"])


def log_probs(parameters: SimpleNamespace) -> np.ndarray:
    """ln P of the four words after *the girl*, (4,)."""
    scores = sparse.sum_rows(parameters.W, positions([(0, 1)])) + parameters.b
    return model.log_softmax(scores)[0]


def test_a_prediction_and_a_step_are_the_course_s() -> None:
    np.testing.assert_allclose(np.log(LESSON["p"]), log_probs(START))
    moved = SimpleNamespace(W=START.W.copy(), b=START.b.copy())
    SGD(moved, 0.0).update(model.gradients(positions([(0, 1)]), LESSON["gradient"][None]), 0.5)
    np.testing.assert_allclose(moved.b - START.b, LESSON["move"], rtol=1e-6)
    np.testing.assert_allclose(np.log(LESSON["p_after"]), log_probs(moved), rtol=1e-6)
    nudged = SimpleNamespace(W=START.W, b=START.b + [0.01, 0, 0, 0])
    assert LESSON["loss"] == pytest.approx(-log_probs(START)[1])
    assert LESSON["higher_loss"] == pytest.approx(-log_probs(nudged)[1])


def test_lists_of_features_turn_round_to_lists_of_predictions() -> None:
    groups = positions([tuple(features) for features in LESSON["active"]])
    features, turned = sparse.by_feature(groups)
    ours = np.split(turned.members, turned.bounds[1:-1])
    assert features.tolist() == [0, 1, 2, 3] and [part.tolist() for part in ours] == LESSON["turned_round"]


def test_gradients_of_a_minibatch_are_those_of_equal_scores() -> None:
    words, came = LESSON["words"], ("giggles", "giggles", "feeds", ".")
    p = np.exp(model.log_softmax(np.zeros((1, 4))))[0]
    assert [p[0] - (word == words[0]) for word in came] == LESSON["g"].tolist()


@pytest.mark.parametrize(
    ("kind", "name"), [("sgd", "SGD"), ("momentum", "momentum"), ("adagrad", "AdaGrad"), ("adam", "Adam")]
)
def test_moves_are_those_of_the_course_s_optimisers(kind: str, name: str) -> None:
    optimiser = OPTIMISERS[kind](SimpleNamespace(W=np.zeros((1, 2)), b=np.zeros(1)), OPTIMISERS[kind].epsilon)
    steps = [optimiser.step(0, [0], gradient[None], np.float32(0.1))[0] for gradient in LESSON["gradients"]]
    np.testing.assert_allclose(LESSON["moves"][name], -np.array(steps), rtol=1e-4)
