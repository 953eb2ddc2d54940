"""Exercise 8.6: prior knowledge about alignments, added to the scores (Neubig 2017, section 8.6).

Each of the two beliefs is a number for every source word, added to its score before the softmax. The strength of the
belief is learnt. t is a target word and j a source word, both counted from 0; S source words, padding included.
"""

from __future__ import annotations

import dynet as dy
import numpy as np

from chapters.attention import attention_priors as attention_priors_module

MarkovBias = attention_priors_module.MarkovBias
PositionBias = attention_priors_module.PositionBias


def position_scores(bias: PositionBias, words: int, step: int) -> dy.Expression:
    """b_tj = -eta |j - rho t| (j, t from 0): the order is similar, so words off the diagonal are less likely. (S, 1).

    bias.strength is eta, (1, 1), which is learnt. bias.pace is rho, (1, 1), the number of source words per target word;
    it is counted, not learnt: bias.pace.expr(False) is its value, which gets no gradient. words: S. step: t. Useful:
    dy.abs; dy.inputTensor(array), for an array (S, 1); (S, 1) - (1, 1) is (S, 1) in DyNet.

    With eta = 2, rho = 0.5, three words and t = 3, it is [[-3], [-1], [-1]].
    """
    # BEGIN SOLUTION 8.6
    places = dy.inputTensor(np.arange(words, dtype=float)[:, None])
    diagonal = bias.pace.expr(False) * float(step)
    return dy.abs(places - diagonal) * -bias.strength
    # END SOLUTION


def markov_matrix(bias: MarkovBias, words: int) -> dy.Expression:
    """M, (S, S), for b_t = M alpha_{t-1}, that is b_tj = sum over i of w_{j-i} alpha_{t-1,i}: a jump from i to j costs.

    Row j, column i of M is w_{j-i} where |j - i| <= D, and 0 otherwise. bias.jumps (1, 2D + 1) has w_{-D} ... w_D,
    which are learnt; bias.window is D. words: S, which may be smaller than D.

    One way: all elements side by side, (1, S*S), are bias.jumps times a matrix (2D + 1, S*S) of zeros and ones, which
    marks the places of each jump; dy.reshape(expression, (S, S)) arranges them, column after column.

    With D = 1, jumps = [[5, 6, 7]] and three words, M is [[6, 5, 0], [7, 6, 5], [0, 7, 6]].
    """
    # BEGIN SOLUTION 8.6
    jumps = np.arange(words)[:, None] - np.arange(words)  # j - i
    column_after_column = jumps.ravel(order="F")
    places = np.arange(-bias.window, bias.window + 1)[:, None] == column_after_column
    return dy.reshape(bias.jumps * dy.inputTensor(places.astype(float)), (words, words))
    # END SOLUTION
