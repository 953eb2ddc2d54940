"""Scores, weights and contexts equal their equations, computed pair by pair."""

from __future__ import annotations

import math

import dynet as dy
import numpy as np
import pytest

from common.nn.attention import causal_weights, combined_scores, contexts, single_scores

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


@pytest.mark.equation("salton2017", 4)
@pytest.mark.parametrize("columns", [1, T], ids=["one score per state", "one score per pair"])
def test_weights_are_a_softmax_over_the_past(rng: np.random.Generator, columns: int) -> None:
    scores = rng.normal(size=(T, columns, B))
    weights = causal_weights(dy.inputTensor(scores, batched=True), T)
    assert weights.dim() == ((T, T), B)
    for s in range(B):
        for t in range(T):
            exponents = [math.exp(scores[i, t if columns == T else 0, s]) for i in range(t)]
            expected = [value / sum(exponents) for value in exponents] + [0] * (T - t)
            np.testing.assert_allclose(weights.npvalue()[:, t, s], expected, atol=1e-6)


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


def test_equal_scores_spread_attention_evenly() -> None:
    weights = causal_weights(dy.inputTensor(np.full((4, 1), 1e3)), 4).npvalue()
    expected = [[0, 1, 1 / 2, 1 / 3], [0, 0, 1 / 2, 1 / 3], [0, 0, 0, 1 / 3], [0, 0, 0, 0]]
    np.testing.assert_allclose(weights, expected, atol=1e-6)


@pytest.mark.parametrize("score", [0, 1e3, -1e3])
def test_a_single_step_has_no_past(score: float) -> None:
    weights = causal_weights(dy.inputTensor(np.full((1, 1), score)), 1)
    assert weights.npvalue().ravel().tolist() == [0]


@pytest.mark.equation("salton2017", 3)
def test_contexts_are_weighted_sums(rng: np.random.Generator) -> None:
    past, weights = rng.normal(size=(H, T, B)), rng.normal(size=(T, Q, B))
    actual = contexts(dy.inputTensor(past, batched=True), dy.inputTensor(weights, batched=True))
    assert actual.dim() == ((H, Q), B)
    for s in range(B):
        for t in range(Q):
            expected = sum(weights[i, t, s] * past[:, i, s] for i in range(T))
            np.testing.assert_allclose(actual.npvalue()[:, t, s], expected, atol=1e-5)


def test_the_first_step_has_a_context_of_zero(rng: np.random.Generator) -> None:
    past, scores = rng.normal(size=(H, T, B)), 1e3 * rng.normal(size=(T, T, B))
    weights = causal_weights(dy.inputTensor(scores, batched=True), T)
    actual = contexts(dy.inputTensor(past, batched=True), weights).npvalue()
    assert (actual[:, 0] == 0).all() and (actual[:, 1:] != 0).all()


def test_a_forbidden_score_gets_no_gradient(rng: np.random.Generator) -> None:
    """The loss looks at step t alone: only the scores of the steps before t feel it."""
    states, target = rng.normal(size=(H, T)), rng.normal(size=H)
    for t in range(T):
        dy.renew_cg()
        collection = dy.ParameterCollection()
        scores = collection.add_parameters((T, T), init=0)
        context = contexts(dy.inputTensor(states), causal_weights(scores, T))
        dy.squared_distance(dy.pick(context, t, dim=1), dy.inputTensor(target)).backward()
        gradient = scores.grad_as_array()
        felt = np.zeros((T, T), dtype=bool)
        felt[:t, t] = t > 1  # a past of one state has weight 1 whatever its score
        assert ((np.abs(gradient) > 1e-6) == felt).all()
