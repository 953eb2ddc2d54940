"""Exercises 6.2 and 6.3: how well does a past state match the query?

Letters in the shapes: H hidden size, A attention size, T states of the past, Q states that query them, B sentences in
the batch. DyNet keeps the batch in a dimension of its own: (H, T) x B is B matrices whose columns are states.
"""

from __future__ import annotations

import dynet as dy


def single_scores(v: dy.Expression, W: dy.Expression, past: dy.Expression) -> dy.Expression:
    """score(h_i) = v . tanh(W h_i) of every past state, whatever the query (Salton et al. 2017, Eq. 9).

    v (1, A), W (A, H), past (H, T) x B -> (T, 1) x B: a column of T scores for each sentence.

    `*` is the product of matrices, and a parameter is used for every sentence of the batch. Useful: dy.transpose, or
    dy.reshape(expression, (rows, columns), batch), where past.dim() is ((H, T), B).

    With v = [[2]], W = [[0.5]] and past = [[0, 2]], the scores are [[0], [2 tanh(1)]].
    """
    # TODO 6.2: the single score
    raise NotImplementedError("Exercise 6.2: the single score")


def combined_scores(
    v: dy.Expression, W: dy.Expression, W_q: dy.Expression, past: dy.Expression, queries: dy.Expression
) -> dy.Expression:
    """score(h_i, h_t) = v . tanh(W h_i + W_q h_t) of every past state h_i for every state h_t that queries it
    (Salton et al. 2017, Eq. 10).

    v (1, A), W and W_q (A, H), past (H, T) x B, queries (H, Q) x B -> (T, Q) x B: row i is a past state, column t a
    query. Nothing is masked here; the next exercise keeps every step from attending to itself and later ones.

    Loops over pairs are fine. Without them: an expression (A, T, 1) x B and one (A, 1, Q) x B, added with `+`, give all
    the sums at once, (A, T, Q) x B. dy.reshape(expression, dimensions, batch) keeps DyNet's order, in which the first
    dimension runs fastest.

    With v = [[2]], W = [[1]], W_q = [[-1]], past = [[0, 2]] and queries = [[1, 2, 0]], the scores are
    [[2 tanh(-1), 2 tanh(-2), 0], [2 tanh(1), 0, 2 tanh(2)]].
    """
    # TODO 6.3: the combined score
    raise NotImplementedError("Exercise 6.3: the combined score")
