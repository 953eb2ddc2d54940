"""Exercise 11.3: scaled dot products, and a mask that hides later positions.

Letters in the shapes: D size of queries and keys, E size of values, T positions that attend, S positions that they may
attend to, B sentences in the batch. Vectors are columns here and rows in the paper, so the order of products is
reversed. In a matrix of scores, row i belongs to the position that is attended to, column t to the one that attends.
"""

from __future__ import annotations

import dynet as dy
import numpy as np


def scaled_scores(queries: dy.Expression, keys: dy.Expression) -> dy.Expression:
    """score = k_i . q_t / sqrt(D) of every key for every query (Vaswani et al. 2017, Eq. 1, before the softmax).

    queries (D, T) x B, keys (D, S) x B -> (S, T) x B.

    With queries = [[2, 1], [0, 1], [1, 1], [1, 0]] and keys = [[1], [3], [2], [0]], the scores are [[2, 3]].
    """
    # BEGIN SOLUTION 11.3
    (size, _), _ = keys.dim()
    return dy.transpose(keys) * queries * size**-0.5
    # END SOLUTION


def causal_mask(time: int) -> dy.Expression:
    """The mask added to scores, (T, T), if T positions attend to each other: 0 where a position may attend (to itself
    and to those before it), and -1e9 elsewhere.

    dy.inputTensor(array) makes an expression of an array of two dimensions.

    With time = 2, the mask is [[0, 0], [-1e9, 0]].
    """
    # BEGIN SOLUTION 11.3
    return dy.inputTensor(np.tril(np.full((time, time), -1e9), k=-1))
    # END SOLUTION


def attend(
    queries: dy.Expression, keys: dy.Expression, values: dy.Expression, mask: dy.Expression | None
) -> dy.Expression:
    """The context of every query: the weights are the softmax of its scores, the context the weighted mean of the
    values.

    queries (D, T) x B, keys (D, S) x B, values (E, S) x B; mask (S, T), added to the scores of every sentence, or None
    -> (E, T) x B (Eq. 1). dy.softmax works column by column.

    With queries = [[1]], keys = [[0, log 3]], values = [[4, 8]] and no mask, the context is [[7]].
    """
    # BEGIN SOLUTION 11.3
    scores = scaled_scores(queries, keys)
    return values * dy.softmax(scores if mask is None else scores + mask)
    # END SOLUTION
