"""Scores, weights and contexts equal their equations, computed pair by pair."""

from __future__ import annotations

import math

import dynet as dy
import numpy as np
import pytest

from common.nn.attention import causal_weights, combined_scores, single_scores

A, H, T, Q, B = 5, 3, 4, 2, 3


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def score_by_hand(v: np.ndarray, inner: np.ndarray) -> float:
    return sum(float(v[0, k]) * math.tanh(inner[k]) for k in range(len(inner)))


@pytest.mark.equation("salton2017", 9)
def test_single_scores(rng: np.random.Generator) -> None:
    v, W, past = rng.normal(size=(1, A)), rng.normal(size=(A, H)), rng.normal(size=(H, T, B))
    scores = single_scores(dy.inputTensor(v), dy.inputTensor(W), dy.inputTensor(past, batched=True))
    assert scores.dim() == ((T, 1), B)
    expected = [[[score_by_hand(v, W @ past[:, i, s]) for s in range(B)]] for i in range(T)]
    np.testing.assert_allclose(scores.npvalue(), expected, atol=1e-5)


@pytest.mark.equation("salton2017", 10)
def test_combined_scores(rng: np.random.Generator) -> None:
    v, W, W_q = rng.normal(size=(1, A)), rng.normal(size=(A, H)), rng.normal(size=(A, H))
    past, queries = rng.normal(size=(H, T, B)), rng.normal(size=(H, Q, B))
    scores = combined_scores(
        dy.inputTensor(v),
        dy.inputTensor(W),
        dy.inputTensor(W_q),
        dy.inputTensor(past, batched=True),
        dy.inputTensor(queries, batched=True),
    )
    assert scores.dim() == ((T, Q), B)
    for s in range(B):
        for i in range(T):
            for t in range(Q):
                expected = score_by_hand(v, W @ past[:, i, s] + W_q @ queries[:, t, s])
                assert scores.npvalue()[i, t, s] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("columns", [1, 6])
@pytest.mark.parametrize("size", [1, 1e3])
def test_weights_sum_to_one_over_the_past_and_are_nothing_elsewhere(
    rng: np.random.Generator, columns: int, size: float
) -> None:
    scores = dy.inputTensor(size * rng.normal(size=(6, columns, B)), batched=True)
    weights = causal_weights(scores, 6).npvalue()
    assert np.isfinite(weights).all() and (weights >= 0).all()
    for t in range(6):
        assert (weights[t:, t] == 0).all()
        np.testing.assert_allclose(weights[:, t].sum(axis=0), float(t > 0), atol=1e-6)


@pytest.mark.parametrize("score", [0, 1e3, -1e3])
def test_a_single_step_has_no_past(score: float) -> None:
    weights = causal_weights(dy.inputTensor(np.full((1, 1), score)), 1)
    assert weights.npvalue().ravel().tolist() == [0]


def test_the_last_steps_attend_as_among_all(rng: np.random.Generator) -> None:
    scores = dy.inputTensor(rng.normal(size=(6, 6, B)), batched=True)
    last = causal_weights(dy.pick_range(scores, 4, 6, 1), 2).npvalue()
    assert (last == causal_weights(scores, 6).npvalue()[:, 4:]).all()
