"""Scores, weights and contexts over a source equal their equations, word by word, however sources are padded."""

from __future__ import annotations

from collections.abc import Callable

import dynet as dy
import numpy as np
import pytest

from common.nn.source_attention import Memory, MLPScore, attention_weights
from common.nn.source_scores import BilinearScore, DotScore
from tests import attention_reference as reference, rnn_reference as rnn

A, Q, S, B = 6, 3, 5, 4  # all different, so that no two can be mistaken for each other
SIZES = {"dot": Q, "bilinear": 2, "mlp": 2}  # of an annotation; a dot product needs that of the query
LENGTHS = np.array([5, 1, 3, 5])


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


def test_the_only_word_has_all_weight_whatever_its_score() -> None:
    for size in (1, 1e4, -1e4):
        case = Case("dot", lengths=np.array([5, 1, 3, 5]))
        case.annotations[:, 0, 1] = size * np.sign(case.query[:, 1])
        weights = attention_weights(case.score, *case.expressions()).npvalue()[:, 0, 1]
        assert np.array_equal(weights, [1, 0, 0, 0, 0])
