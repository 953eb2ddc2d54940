"""Exercise 8.3: three ways to score how well each source word matches the decoder's state.

Letters in the shapes: S source words, H size of an annotation, Q size of the decoder's state, A size of the hidden
layer of the MLP, B sentences in the batch. In DyNet (H, S) x B is B matrices whose columns are annotations; a query
(Q,) x B is B vectors; to turn it into a matrix of one column, reshape it: dy.reshape(query, (Q, 1), B).

`*` is the product of matrices, and a parameter is used for every sentence of the batch. (A, S) x B + (A, 1) x B adds
the column to each of the S columns. expression.dim() is ((rows, columns), batch).
"""

from __future__ import annotations

import dynet as dy

from common.nn.source_attention import MLPScore


def dot_scores(annotations: dy.Expression, query: dy.Expression) -> dy.Expression:
    """score(h_j, h_t) = h_j . h_t of all source words (Neubig 2017, Eq. 77 and 78). H and Q are equal.

    annotations (H, S) x B, query (H,) x B -> (S, 1) x B, a column of S scores for each sentence.

    With annotations = [[1, 0], [2, -1]] and query = [3, 0.5], the scores are [[4], [-0.5]].
    """
    # TODO 8.3: three attention scores
    raise NotImplementedError("Exercise 8.3: three attention scores")


def bilinear_scores(W_a: dy.Parameters, annotations: dy.Expression, query: dy.Expression) -> dy.Expression:
    """score(h_j, h_t) = h_j^T W_a h_t of all source words (Neubig 2017, Eq. 79).

    W_a (H, Q), annotations (H, S) x B, query (Q,) x B -> (S, 1) x B.

    With W_a = [[3]], annotations = [[1, 2]] and query = [0.5], the scores are [[1.5], [3]].
    """
    # TODO 8.3: three attention scores
    raise NotImplementedError("Exercise 8.3: three attention scores")


def mlp_keys(score: MLPScore, annotations: dy.Expression) -> dy.Expression:
    """The source's half of the MLP, W_f h_j of all source words. It is computed once per sentence, not at every step.

    score.W_source is W_f (the lesson's W_s), (A, H): the block of W_a1 that meets h_j. annotations (H, S) x B
    -> (A, S) x B.

    With W_f = [[3]] and annotations = [[1, 2]], the keys are [[3, 6]].
    """
    # TODO 8.3: three attention scores
    raise NotImplementedError("Exercise 8.3: three attention scores")


def mlp_scores(score: MLPScore, keys: dy.Expression, query: dy.Expression) -> dy.Expression:
    """score(h_j, h_t) = w_a2 . tanh(W_a1 [h_t; h_j]) of all source words (Neubig 2017, Eq. 80), for one query.

    W_a1 [h_t; h_j] = W_e h_t + W_f h_j. score.W_query is W_e (the lesson's W_q), (A, Q); score.w is w_a2 as a row,
    (1, A). keys: the result of `mlp_keys`, (A, S) x B. query (Q,) x B -> (S, 1) x B.

    With W_e = [[2]], w = [[4]], keys = [[3, 6]] and query = [0.5], the scores are [[4 tanh(4)], [4 tanh(7)]].
    """
    # TODO 8.3: three attention scores
    raise NotImplementedError("Exercise 8.3: three attention scores")
