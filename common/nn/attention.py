"""Attention of a sentence over its own past, for all time steps at once.

Notation: states are (H, T) x B, one column a time step. Scores and weights are (T, T) x B: the
element in row i, column t says how much step t attends to the state of step i.
"""

from __future__ import annotations

import dynet as dy
import numpy as np

FORBIDDEN = -1e9
"""Added to a score that must get no weight. Not minus infinity, from which DyNet's products make NaN."""


def single_scores(v: dy.Expression, W: dy.Expression, past: dy.Expression) -> dy.Expression:
    """score(h_i) = v . tanh(W h_i), the same for every later step (Salton et al. 2017, Eq. 9).

    v (1, A), W (A, H), past (H, T) x B -> (T, 1) x B.
    """
    (_, time), batch = past.dim()
    return dy.reshape(v * dy.tanh(W * past), (time, 1), batch)


def combined_scores(
    v: dy.Expression, W: dy.Expression, W_q: dy.Expression, past: dy.Expression, queries: dy.Expression
) -> dy.Expression:
    """score(h_i, h_t) = v . tanh(W h_i + W_q h_t) (Salton et al. 2017, Eq. 10).

    v (1, A), W and W_q (A, H), past (H, T) x B, queries (H, Q) x B -> (T, Q) x B. Both products are
    done once for each state; only their sum and its tanh are done for each pair.
    """
    (_, time), batch = past.dim()
    (size, _), (_, asking) = W.dim()[0], queries.dim()[0]
    pairs = dy.reshape(W * past, (size, time, 1), batch) + dy.reshape(W_q * queries, (size, 1, asking), batch)
    return dy.reshape(v * dy.reshape(dy.tanh(pairs), (size, time * asking), batch), (time, asking), batch)


def causal_weights(scores: dy.Expression, time: int) -> dy.Expression:
    """Softmax over the past: a_i = exp(score_i) / sum over j < t of exp(score_j) (Salton et al. 2017, Eq. 4).

    scores (T, 1) x B, the same for all steps, or (T, T) x B -> weights (T, T) x B. Step t attends to
    the steps before it; the first step has no past and its column is zero.
    """
    before = np.triu(np.ones((time, time)), k=1)
    has_past = np.ones((time, time))
    has_past[:, 0] = 0
    masked = dy.inputTensor((1 - before) * FORBIDDEN) + scores
    return dy.cmult(dy.softmax(masked), dy.inputTensor(has_past))


def contexts(past: dy.Expression, weights: dy.Expression) -> dy.Expression:
    """c_t = sum of a_i h_i over the past (Salton et al. 2017, Eq. 3).

    past (H, T) x B, weights (T, Q) x B, a column for each t -> (H, Q) x B.
    """
    return past * weights
