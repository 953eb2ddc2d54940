"""Exercise 6.5: from a state and its context to the scores of the next word.

Letters in the shapes: H hidden size, M size of the merged state, T time steps, B sentences in the batch, V vocabulary,
N predictions side by side.
"""

from __future__ import annotations

import dynet as dy


def merge(W_c: dy.Expression, b_c: dy.Expression, states: dy.Expression, contexts: dy.Expression) -> dy.Expression:
    """h'_t = tanh(W_c [h_t; c_t] + b_c) of every step (Salton et al. 2017, Eq. 7): the state above, the context below.

    W_c (M, 2H), b_c (M,), states and contexts (H, T) x B -> (M, T) x B.

    dy.colwise_add(matrix, vector) adds a vector to every column of a matrix.

    With W_c = [[1, 0.5]], b_c = [-1], states = [[2, 3]] and contexts = [[0, -2]], h' is [[tanh(1), tanh(1)]].
    """
    # TODO 6.5: state and context merged, and the vocabulary scored
    raise NotImplementedError("Exercise 6.5: state and context merged, and the vocabulary scored")


def tied_logits(embedding: dy.Expression, bias: dy.Expression, states: dy.Expression) -> dy.Expression:
    """W h' + b, the argument of the softmax of Eq. 8, where W is the table of the input embeddings itself (Press and
    Wolf 2017): the score of a word is embedding . h' plus its bias.

    embedding (V, M), one row per word; bias (V,); states (M,) x N -> (V,) x N. Do not normalise here.

    With embedding = [[1], [-2], [0]], bias = [0.5, 0, 0.25] and one state [3], the scores are 3.5, -6 and 0.25.
    """
    # TODO 6.5: state and context merged, and the vocabulary scored
    raise NotImplementedError("Exercise 6.5: state and context merged, and the vocabulary scored")
