"""Output distributions, the order of time and batch when they are folded, and sums that leave padding out."""

from __future__ import annotations

import math

import dynet as dy
import numpy as np
import pytest

from common.nn.softmax import embed, fold_time, masked_sum, negative_log_probs, tied_logits, unfold_time

H, T, B, V = 3, 4, 2, 5


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(6)


def softmax(logits: np.ndarray) -> np.ndarray:
    exponents = [math.exp(value) for value in logits]
    return np.array([value / sum(exponents) for value in exponents])


@pytest.mark.equation("salton2017", 8)
def test_the_distribution_is_a_softmax_tied_to_the_embedding(rng: np.random.Generator) -> None:
    W, b, states = rng.normal(size=(V, H)), rng.normal(size=V), rng.normal(size=(H, B))
    collection = dy.ParameterCollection()
    embedding = collection.parameters_from_numpy(W)
    logits = tied_logits(embedding, dy.inputTensor(b), dy.inputTensor(states, batched=True))
    assert logits.dim() == ((V,), B)
    for column in range(B):
        by_hand = [sum(W[k, j] * states[j, column] for j in range(H)) + b[k] for k in range(V)]
        actual = dy.softmax(logits).npvalue()[:, column]
        np.testing.assert_allclose(actual, softmax(by_hand), atol=1e-6)
        assert actual.sum() == pytest.approx(1, abs=1e-6)


def test_embeddings_are_rows_and_tied_weights_get_both_gradients(rng: np.random.Generator) -> None:
    W, b, words, target = rng.normal(size=(V, H)), np.zeros(V), [4, 0, 4], 2
    collection = dy.ParameterCollection()
    embedding = collection.parameters_from_numpy(W)
    vectors = embed(embedding, words)
    assert vectors.dim() == ((H,), 3)
    np.testing.assert_allclose(vectors.npvalue().T, W[words], rtol=1e-6)

    losses = dy.pickneglogsoftmax_batch(tied_logits(embedding, dy.inputTensor(b), vectors), [target] * len(words))
    dy.sum_batches(losses).backward()
    expected = np.zeros((V, H))
    for word in words:
        error = softmax(W @ W[word]) - np.eye(V)[target]  # d loss / d logits
        expected += np.outer(error, W[word])  # through the output
        expected[word] += W.T @ error  # through the input
    np.testing.assert_allclose(embedding.grad_as_array(), expected, atol=1e-5)


def test_unfolding_undoes_folding(rng: np.random.Generator) -> None:
    states = dy.inputTensor(rng.normal(size=(H, T, B)), batched=True)
    assert unfold_time(fold_time(states), T).dim() == ((H, T), B)
    np.testing.assert_array_equal(unfold_time(fold_time(states), T).npvalue(), states.npvalue())


def test_folding_runs_through_time_fastest(rng: np.random.Generator) -> None:
    states = rng.normal(size=(H, T, B))
    folded = fold_time(dy.inputTensor(states, batched=True))
    assert folded.dim() == ((H,), T * B)
    for sentence in range(B):
        for t in range(T):
            np.testing.assert_allclose(folded.npvalue()[:, sentence * T + t], states[:, t, sentence], rtol=1e-6)


def test_every_target_meets_its_own_step(rng: np.random.Generator) -> None:
    logits, targets = rng.normal(size=(V, T, B)), rng.integers(V, size=(T, B))
    losses = negative_log_probs(fold_time(dy.inputTensor(logits, batched=True)), targets)
    expected = [-math.log(softmax(logits[:, t, s])[targets[t, s]]) for s in range(B) for t in range(T)]
    np.testing.assert_allclose(losses.npvalue().ravel(), expected, rtol=1e-5)


def test_enormous_logits_stay_finite() -> None:
    logits = dy.inputTensor([[1e4, 0], [0, -1e4], [-1e4, 0]], batched=True)
    losses = negative_log_probs(logits, np.array([[0], [1]])).npvalue().ravel()
    np.testing.assert_allclose(losses, [0, 1e4 + math.log(2)], rtol=1e-6, atol=1e-6)


def test_the_sum_leaves_padding_out(rng: np.random.Generator) -> None:
    losses, mask = rng.normal(size=(T, B)), np.ones((T, B), dtype=np.float32)
    folded = dy.inputTensor(losses.T.reshape(1, -1), batched=True)
    assert masked_sum(folded, mask).scalar_value() == pytest.approx(losses.sum(), abs=1e-5)
    mask[2:, 1] = 0  # the second sentence has two predictions
    assert masked_sum(folded, mask).scalar_value() == pytest.approx(losses[:, 0].sum() + losses[:2, 1].sum(), abs=1e-5)
