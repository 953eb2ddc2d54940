"""Attention: how much each state matters to a query, and the mean of the states that follows from it.

A score says how well a state answers a query. `keys`, (H, S) x B -> keys, is what can be computed once, from the states
alone; `scores` is left for each query: (Q,) x B, one, or (Q, N) x B -> (S, N) x B, or a column for all, (S, 1) x B.
Here are those of a language model that attends to its past; those of a decoder are in `source_attention`.

Letters in the shapes: S states that are attended to, words of a source (padding included) or steps of a past; H their
size; N queries at once, Q the size of a query; A size of the hidden layer of the MLP; B sentences in the batch. Where a
sentence attends to itself, both S and N are its T time steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dynet as dy
import numpy as np

from common.nn.softmax import FORBIDDEN, as_columns


class SingleScore:
    """score(h_i) = v_s . tanh(W_s h_i), whatever the query (Salton et al. 2017, Eq. 9): v_s (1, H), W_s (H, H)."""

    def __init__(self, collection: dy.ParameterCollection, size: int, init_scale: float):
        uniform = dy.UniformInitializer(init_scale)
        self.v_s = collection.add_parameters((1, size), init=uniform)
        self.W_s = collection.add_parameters((size, size), init=uniform)

    def keys(self, annotations: dy.Expression) -> dy.Expression:
        return single_scores(self.v_s, self.W_s, annotations)

    def scores(self, keys: dy.Expression, query: dy.Expression) -> dy.Expression:
        return keys


class CombinedScore(SingleScore):
    """score(h_i, h_t) = v_s . tanh(W_s h_i + W_q h_t) (Salton et al. 2017, Eq. 10), W_q (H, H): the MLP score by
    another name. States are their own keys: what a model attends to in its past grows with every step."""

    def __init__(self, collection: dy.ParameterCollection, size: int, init_scale: float):
        super().__init__(collection, size, init_scale)
        self.W_q = collection.add_parameters((size, size), init=dy.UniformInitializer(init_scale))

    def keys(self, annotations: dy.Expression) -> dy.Expression:
        return annotations

    def scores(self, keys: dy.Expression, query: dy.Expression) -> dy.Expression:
        return combined_scores(self.v_s, self.W_s, self.W_q, keys, as_columns(query))


PAST_SCORES: dict[str, Callable[[dy.ParameterCollection, int, float], Any]] = {
    "single": SingleScore,
    "combined": CombinedScore,
    "none": lambda collection, size, init_scale: None,
}
"""The choices of --score of a language model that attends to its past, or not at all."""


COMBINE_STARTS: dict[str, Callable[[tuple[int, int], float], dy.PyInitializer]] = {
    "identity": lambda shape, init_scale: dy.NumpyInitializer(np.eye(*shape)),
    "uniform": lambda shape, init_scale: dy.UniformInitializer(init_scale),
}
"""How the matrix starts that combines a state with its context: it passes the state on alone, or is like any other."""


def mlp_scores(w: dy.Expression, keys: dy.Expression, queries: dy.Expression) -> dy.Expression:
    """w . tanh(k_j + q_t) of every pair: w (1, A), keys (A, S) x B, queries (A, N) x B -> (S, N) x B.

    Copies are products with ones: DyNet takes four times as long for a sum that repeats its terms.
    """
    (size, number), batch = keys.dim()
    (_, count), _ = queries.dim()
    if count > 1:  # each query gets keys of its own, as one more sentence of the batch
        copies = dy.reshape(keys, (size * number, 1), batch) * dy.ones((1, count))
        keys = dy.reshape(copies, (size, number), count * batch)
        queries = dy.reshape(queries, (size, 1), count * batch)
    pairs = dy.affine_transform([keys, queries, dy.ones((1, number))])
    return dy.reshape(w * dy.tanh(pairs), (number, count), pairs.dim()[1] // count)


def single_scores(v: dy.Expression, W: dy.Expression, past: dy.Expression) -> dy.Expression:
    """Salton et al. 2017, Eq. 9: v (1, A), W (A, H), past (H, S) x B -> (S, 1) x B."""
    (_, time), batch = past.dim()
    return dy.reshape(v * dy.tanh(W * past), (time, 1), batch)


def combined_scores(
    v: dy.Expression, W: dy.Expression, W_q: dy.Expression, past: dy.Expression, queries: dy.Expression
) -> dy.Expression:
    """Salton et al. 2017, Eq. 10: v (1, A), W and W_q (A, H), past (H, S) x B, queries (H, N) x B -> (S, N) x B."""
    return mlp_scores(v, W * past, W_q * queries)


def causal_weights(scores: dy.Expression, time: int) -> dy.Expression:
    """Softmax over the past: a_i = exp(score_i) / sum over j < t of exp(score_j) (Salton et al. 2017, Eq. 4).

    scores (S, 1) x B, the same for all steps, or (S, T) x B -> weights (S, T) x B: a column for each of the last
    `time` of the S steps, which attends to the steps before it; that of the first step, which has no past, is zero.
    """
    (steps, *_), _ = scores.dim()
    before = np.triu(np.ones((steps, time)), k=1 + time - steps)
    masked = dy.inputTensor((1 - before) * FORBIDDEN) + scores
    return dy.cmult(dy.softmax(masked), dy.inputTensor(before))


def contexts(past: dy.Expression, weights: dy.Expression) -> dy.Expression:
    """c_t = sum of a_i h_i over the past (Salton et al. 2017, Eq. 3): past (H, S) x B, weights (S, N) x B, a column for
    each t -> (H, N) x B."""
    return past * weights
