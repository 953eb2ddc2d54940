"""Exercise 8.4: from scores to weights, with none on padding, and from weights to the context.

Letters in the shapes: S source words, padding included, H size of an annotation, Q size of the decoder's state, B
sentences in the batch. (S, 1) x B is a column of S numbers for each sentence.
"""

from __future__ import annotations

import dynet as dy
import numpy as np

from common.nn.source_attention import Memory, Score


def padding_scores(lengths: np.ndarray, time: int) -> dy.Expression | None:
    """What is added to scores so that padding gets no weight: (S, 1) x B, 0 for words and -1e9 after them.

    lengths: the number of words of each source, (B,); the words come first. time: S. If nothing is padded, the result
    may be None.

    Use -1e9, not -inf, which DyNet's products may turn into NaN. Useful, for an array (S, B):
    dy.reshape(dy.inputTensor(array.ravel(order="F")), (S, 1), B).

    With lengths [2, 1] and time 2, it is [[0], [0]] for the first sentence and [[0], [-1e9]] for the second.
    """
    # TODO 8.4: weights, padding and the context
    raise NotImplementedError("Exercise 8.4: weights, padding and the context")


def attention_weights(score: Score, memory: Memory, query: dy.Expression, *biases: dy.Expression) -> dy.Expression:
    """alpha_t = softmax(a_t) with a_tj = score(h_j, h_t) (Neubig 2017, Eq. 74, 75): (S, 1) x B.

    The letters are those of the tutorial; in the lesson, its scores a_t are called s_t, and its weights alpha_t are
    called a_t.

    The weights of a sentence are at least 0 and sum to 1 over its words; padding gets 0, however high its score.

    score.scores(memory.keys, query) gives the scores a_t, (S, 1) x B. memory.padding is the result of `padding_scores`;
    it may be None. query (Q,) x B. biases: any number of expressions, (S, 1) or (S, 1) x B, that are added to the
    scores too; there may be none. dy.softmax works column by column.

    With the scores [[0], [log 3], [7]] and padding [[0], [0], [-1e9]], the weights are [[1/4], [3/4], [0]].
    """
    # TODO 8.4: weights, padding and the context
    raise NotImplementedError("Exercise 8.4: weights, padding and the context")


def context(memory: Memory, weights: dy.Expression) -> dy.Expression:
    """c_t = H alpha_t, the sum over the source words of alpha_tj h_j (Neubig 2017, Eq. 72).

    memory.annotations (H, S) x B is the matrix H; weights (S, 1) x B -> (H,) x B: a vector, not a matrix of one column.

    With annotations = [[2, -1], [0, 4]] and weights = [[1/4], [3/4]], the context is [-1/4, 3].
    """
    # TODO 8.4: weights, padding and the context
    raise NotImplementedError("Exercise 8.4: weights, padding and the context")
