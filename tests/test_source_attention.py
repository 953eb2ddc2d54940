"""Scores, weights and contexts over a source equal their equations, word by word, however sources are padded."""

from __future__ import annotations

from collections.abc import Callable

import dynet as dy
import numpy as np
import pytest

from common.nn.source_attention import (
    BilinearScore,
    DotScore,
    Memory,
    MLPScore,
    attention_weights,
    context,
    padding_scores,
)
from tests import attention_reference as reference, rnn_reference as rnn
from tests.small_models import numeric_gradient

A, Q, S, B = 6, 3, 5, 4  # all different, so that no two can be mistaken for each other
SIZES = {"dot": Q, "bilinear": 2, "mlp": 2}  # of an annotation; a dot product needs that of the query
LENGTHS = np.array([5, 1, 3, 5])
each_score = pytest.mark.parametrize("kind", SIZES)


class Case:
    """A score with random weights, a memory of random annotations (H, S, B), a random query (Q, B)."""

    def __init__(self, kind: str, lengths: np.ndarray = LENGTHS, seed: int = 3):
        rng, H = np.random.default_rng(seed), SIZES[kind]
        self.kind, self.lengths, self.collection = kind, lengths, dy.ParameterCollection()
        make: dict[str, Callable] = {
            "dot": DotScore,
            "bilinear": lambda: BilinearScore(self.collection, H, Q, 0.1),
            "mlp": lambda: MLPScore(self.collection, H, Q, A, 0.1),
        }
        self.score = make[kind]()
        names = {"dot": (), "bilinear": ("W_a",), "mlp": ("W_query", "W_source", "w")}[kind]
        self.parameters = {name: getattr(self.score, name) for name in names}
        rnn.randomise(self.parameters)
        self.weights = rnn.weights_of(self.parameters)
        self.annotations, self.query = rng.normal(size=(H, S, B)), rng.normal(size=(Q, B))

    def expressions(self) -> tuple[Memory, dy.Expression]:
        annotations = dy.inputTensor(self.annotations, batched=True)
        return Memory.of(self.score, annotations, self.lengths), dy.inputTensor(self.query, batched=True)

    def by_hand(self, sentence: int, words: int = S) -> list[float]:
        return [
            reference.score(self.kind, self.weights, self.annotations[:, j, sentence], self.query[:, sentence])
            for j in range(words)
        ]


def check_scores(kind: str) -> None:
    case = Case(kind)
    memory, query = case.expressions()
    result = case.score.scores(memory.keys, query)
    assert result.dim() == ((S, 1), B)
    for sentence in range(B):
        np.testing.assert_allclose(result.npvalue()[:, 0, sentence], case.by_hand(sentence), atol=1e-5)


@pytest.mark.equation("neubig2017", 77, 78)
def test_dot_scores() -> None:
    check_scores("dot")


@pytest.mark.equation("neubig2017", 79)
def test_bilinear_scores() -> None:
    check_scores("bilinear")


@pytest.mark.equation("neubig2017", 80)
def test_mlp_scores() -> None:
    check_scores("mlp")


@pytest.mark.equation("neubig2017", 78)
def test_all_words_at_once_is_one_product() -> None:
    """The scores of a sentence are H^T h: what is left to do in a step is one product with the keys."""
    case = Case("dot")
    memory, query = case.expressions()
    actual = case.score.scores(memory.keys, query).npvalue()
    for sentence in range(B):
        expected = case.annotations[:, :, sentence].T @ case.query[:, [sentence]]
        np.testing.assert_allclose(actual[:, :, sentence], expected, atol=1e-5)


@pytest.mark.equation("neubig2017", 74, 75)
@each_score
def test_weights_are_a_softmax_over_the_words_of_each_source(kind: str) -> None:
    case = Case(kind)
    weights = attention_weights(case.score, *case.expressions())
    assert weights.dim() == ((S, 1), B)
    for sentence, length in enumerate(LENGTHS):
        actual = weights.npvalue()[:, 0, sentence]
        np.testing.assert_allclose(actual[:length], reference.softmax(case.by_hand(sentence, length)), atol=1e-6)
        assert not actual[length:].any(), "padding has no weight at all"


@pytest.mark.equation("neubig2017", 72)
@each_score
def test_contexts_are_weighted_sums_of_annotations(kind: str) -> None:
    """Of any weights, not only of a softmax."""
    case = Case(kind)
    memory, _ = case.expressions()
    weights = np.random.default_rng(9).normal(size=(S, 1, B))
    actual = context(memory, dy.inputTensor(weights, batched=True))
    assert actual.dim() == ((SIZES[kind],), B)
    for sentence in range(B):
        rows = case.annotations[:, :, sentence].T
        np.testing.assert_allclose(
            actual.npvalue()[:, sentence], reference.context(rows, weights[:, 0, sentence]), atol=1e-5
        )


def test_without_padding_nothing_is_added() -> None:
    assert padding_scores(np.array([3, 3]), 3) is None
    assert padding_scores(np.array([3]), 3) is None


def test_padding_scores_belong_to_their_sentences() -> None:
    actual = padding_scores(np.array([2, 4, 1]), 4)
    assert actual.dim() == ((4, 1), 3)
    assert np.array_equal(actual.npvalue()[:, 0, :] < -1e8, [[0, 0, 0], [0, 0, 1], [1, 0, 1], [1, 0, 1]])
    assert np.array_equal(actual.npvalue()[:, 0, :] == 0, [[1, 1, 1], [1, 1, 0], [0, 1, 0], [0, 1, 0]])


def test_the_only_word_has_all_weight_whatever_its_score() -> None:
    for size in (1, 1e4, -1e4):
        case = Case("dot", lengths=np.array([5, 1, 3, 5]))
        case.annotations[:, 0, 1] = size * np.sign(case.query[:, 1])
        weights = attention_weights(case.score, *case.expressions()).npvalue()[:, 0, 1]
        assert np.array_equal(weights, [1, 0, 0, 0, 0])


@each_score
def test_the_memory_of_some_sentences(kind: str) -> None:
    """In another order, one of them twice; padded or not."""
    rows = [2, 0, 2]
    for lengths in (LENGTHS, np.full(B, S)):
        case = Case(kind, lengths)
        memory, query = case.expressions()
        every = attention_weights(case.score, memory, query).npvalue()
        selected = memory.select(rows)
        weights = attention_weights(case.score, selected, dy.pick_batch_elems(query, rows))
        np.testing.assert_allclose(weights.npvalue(), every[:, :, rows], atol=1e-6)
        np.testing.assert_allclose(selected.annotations.npvalue(), case.annotations[:, :, rows], atol=1e-6)


@each_score
def test_gradients_are_those_of_finite_differences(kind: str) -> None:
    """Of a random sum of the contexts, for every number of the weights, annotations and queries."""
    case, mix = Case(kind), np.random.default_rng(11).normal(size=(SIZES[kind], B))
    annotations, query = (case.collection.parameters_from_numpy(a) for a in (case.annotations, case.query))
    columns = list(range(B))
    memory = Memory.of(case.score, dy.pick_batch(annotations, columns, dim=2), LENGTHS)
    weights = attention_weights(case.score, memory, dy.pick_batch(query, columns, dim=1))
    loss = dy.sum_batches(dy.dot_product(context(memory, weights), dy.inputTensor(mix, batched=True)))
    loss.forward()
    loss.backward()

    def by_hand() -> float:
        actual = 0.0
        for sentence, length in enumerate(LENGTHS):
            alpha = reference.softmax(case.by_hand(sentence, length))
            rows = case.annotations[:, :length, sentence].T
            actual += reference.context(rows, alpha) @ mix[:, sentence]
        return actual

    parameters = {**case.parameters, "annotations": annotations, "query": query}
    for name, array in {**case.weights, "annotations": case.annotations, "query": case.query}.items():
        slopes = numeric_gradient(by_hand, array)
        np.testing.assert_allclose(parameters[name].grad_as_array(), slopes, atol=1e-4, err_msg=name)
        assert slopes.any(), f"{name} matters"
