"""Attention of a decoder to a source: its scores, its memory, weights and context (Neubig 2017, section 8); and the
recurrent decoder whose first layer reads a word and the contexts.

Letters in the shapes: S source words (padding included), H size of an annotation, Q size of a query, A size of the
hidden layer of the MLP, B sentences in the batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import dynet as dy
import numpy as np

from common.nn.dropout import NO_DROPOUT, Dropout
from common.nn.recurrent import State
from common.nn.softmax import FORBIDDEN, as_columns
from common.nn.stacking import cell_class


class Score(Protocol):
    """How well each source word answers a query. What depends on the words alone is computed once, in `keys`."""

    def keys(self, annotations: dy.Expression) -> dy.Expression:
        """(H, S) x B -> keys."""

    def scores(self, keys: dy.Expression, query: dy.Expression) -> dy.Expression:
        """Of every word for the query: (Q,) x B -> (S, 1) x B."""


class MLPScore:
    """score(h_j, h_t) = w_a2 . tanh(W_a1 [h_t; h_j]) (Neubig 2017, Eq. 80; Bahdanau et al. 2015).

    W_a1 is stored as its two blocks, `W_query` (A, Q) and `W_source` (A, H), so that the half of the product that the
    states have in it is computed once; `w` (1, A).
    """

    def __init__(
        self, collection: dy.ParameterCollection, state_size: int, query_size: int, size: int, init_scale: float
    ):
        uniform = dy.UniformInitializer(init_scale)
        self.W_query = collection.add_parameters((size, query_size), init=uniform)
        self.W_source = collection.add_parameters((size, state_size), init=uniform)
        self.w = collection.add_parameters((1, size), init=uniform)

    def keys(self, annotations: dy.Expression) -> dy.Expression:
        return self.W_source * annotations

    def scores(self, keys: dy.Expression, query: dy.Expression) -> dy.Expression:
        (_, words), batch = keys.dim()
        everywhere = dy.ones((1, words))  # a product with this row takes half the time of adding a column in DyNet
        hidden = dy.tanh(dy.affine_transform([keys, self.W_query * as_columns(query), everywhere]))
        return dy.reshape(self.w * hidden, (words, 1), batch)


SCORES = {"mlp": "MLPScore", "bilinear": "BilinearScore", "dot": "DotScore"}
"""The choices of --score of a decoder that attends to a source: but for `MLPScore`, classes of `source_scores`."""


def score_of(name: str, collection: dy.ParameterCollection, size: int, init_scale: float) -> Score:
    """The score that a choice of --score names, for states and queries of one size."""
    if SCORES[name] == "MLPScore":
        return MLPScore(collection, size, size, size, init_scale)
    from common.nn import source_scores

    sizes = () if SCORES[name] == "DotScore" else (collection, size, size, init_scale)
    return getattr(source_scores, SCORES[name])(*sizes)


class Memory(NamedTuple):
    """A batch of sources that a decoder attends to: annotations (H, S) x B, their keys, what is added to the scores.

    padding: (S, 1) x B, zero for words and `FORBIDDEN` for padding; None where nothing is padded.
    """

    annotations: dy.Expression
    keys: dy.Expression
    padding: dy.Expression | None

    @classmethod
    def of(cls, score: Score, annotations: dy.Expression, lengths: np.ndarray) -> Memory:
        """lengths: the words of each source, (B,)."""
        return cls(annotations, score.keys(annotations), padding_scores(lengths, annotations.dim()[0][1]))

    def select(self, rows: list[int]) -> Memory:
        """The memory of these sentences, in this order."""
        return Memory(*(part if part is None else dy.pick_batch_elems(part, rows) for part in self))


def padding_scores(lengths: np.ndarray, time: int) -> dy.Expression | None:
    """What keeps weight from padding: (time, 1) x B, zero for words and FORBIDDEN behind them; None without padding."""
    if (lengths == time).all():
        return None
    behind = np.arange(time)[:, None] >= lengths
    return dy.reshape(dy.inputTensor((behind * FORBIDDEN).ravel(order="F")), (time, 1), len(lengths))


def attention_weights(score: Score, memory: Memory, query: dy.Expression, *biases: dy.Expression) -> dy.Expression:
    """alpha_t = softmax(a_t) with a_tj = score(h_j, h_t) (Neubig 2017, Eq. 74 and 75): (S, 1) x B, zero on padding.

    biases: (S, 1) or (S, 1) x B, what is added to the scores beforehand (`attention_priors`).
    """
    added = [*biases] if memory.padding is None else [*biases, memory.padding]
    scores = score.scores(memory.keys, query)
    return dy.softmax(dy.esum([scores, *added]) if added else scores)


class Attention:
    """alpha_t = softmax(a_t), step by step. Other kinds of attention have the same two methods."""

    def __init__(self, score: Score):
        self.score = score

    def read(self, annotations: dy.Expression, lengths: np.ndarray) -> Any:
        """Prepare a batch of sources: annotations (H, S) x B and how many of the S are words, (B,)."""
        return Memory.of(self.score, annotations, lengths)

    def __call__(
        self, source: Any, query: dy.Expression, step: int, before: dy.Expression | None
    ) -> tuple[dy.Expression, Any]:
        """alpha_t, (S, 1) x B, for the query h_t, (H,) x B; and the source as the next step reads it.

        step: t, from 0; before: alpha_{t-1}, None where t is 0. Only other kinds of attention use them.
        """
        return attention_weights(self.score, source, query), source


def context(memory: Memory, weights: dy.Expression) -> dy.Expression:
    """c_t = H alpha_t (Neubig 2017, Eq. 72): weights (S, 1) x B -> (H,) x B."""
    product = memory.annotations * weights
    return dy.reshape(product, (product.dim()[0][0],), product.dim()[1])


class ContextDecoder:
    """h_t = RNN([m_t; c; ...], h_{t-1}) with word m_t and one or more context vectors (Neubig 2017, Eq. 73).

    The first layer's matrix for [m_t; c; ...] is stored as its blocks: that of the words multiplies all words of a
    target at once, and only the contexts, which depend on the step before, are left to the loop.
    """

    def __init__(
        self,
        collection: dy.ParameterCollection,
        cell: str,
        size: int,
        layers: int,
        init_scale: float,
        context_sizes: Sequence[int],
    ):
        """Words and states are of `size`; a context vector of each of context_sizes is read."""
        self.layers = [cell_class(cell)(collection, size, size, init_scale) for _ in range(layers)]
        (gates, _) = self.layers[0].W_x.shape()
        uniform = dy.UniformInitializer(init_scale)
        self.W_c = [collection.add_parameters((gates, read), init=uniform) for read in context_sizes]

    def project(self, words: dy.Expression) -> dy.Expression:
        """The words' share of what the first layer computes, for all steps: (H, T) x B -> (blocks*H, T) x B."""
        return self.layers[0].project(words)

    def step(
        self,
        projected: dy.Expression,
        contexts: Sequence[dy.Expression],
        states: Sequence[State],
        dropout: Dropout = NO_DROPOUT,
    ) -> list[State]:
        """Each layer's new state, from one column of `project`, the contexts and each layer's state before."""
        read = zip(self.W_c, contexts, strict=True)
        inner = dy.affine_transform([projected, *(part for pair in read for part in pair)])
        after = [self.layers[0].cell(inner, states[0])]
        for layer, state in zip(self.layers[1:], states[1:], strict=True):
            after.append(layer.step(dropout(after[-1].hidden), state))
        return after
