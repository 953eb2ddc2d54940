"""Exercise 6.4: weights over the past, and the context computed with them.

Letters in the shapes: H hidden size, T time steps, Q states that query them, B sentences in the batch. In a matrix of
scores or weights, row i belongs to the state that is attended to, column t to the step that attends.
"""

from __future__ import annotations

import dynet as dy
import numpy as np


def causal_weights(scores: dy.Expression, time: int) -> dy.Expression:
    """a_i = exp(score_i) / sum over j < t of exp(score_j): a softmax over the past (Salton et al. 2017, Eq. 4).

    scores (T, T) x B, or (T, 1) x B if they are the same for all steps -> weights (T, T) x B. T is `time`.

    Step t attends to the steps before it, never to itself or later ones, however high the scores there: those weights
    are 0, and each column sums to 1 over the others. The first step has no past; its column is all zeros.

    Useful: dy.softmax(matrix), which works column by column; dy.inputTensor(array), which turns a mask into an
    expression; (T, T) + (T, 1) x B is (T, T) x B. To give a state no weight, add -1e9 to its score, never -inf, which
    products in DyNet may turn into NaN. dy.cmult multiplies element by element.

    With T = 3 and the scores [[0], [log 3], [7]], the weights are [[0, 1, 1/4], [0, 0, 3/4], [0, 0, 0]].
    """
    # BEGIN SOLUTION 6.4
    allowed = np.triu(np.ones((time, time)), k=1)
    has_past = np.ones((time, time))
    has_past[:, 0] = 0
    weights = dy.softmax(scores + dy.inputTensor((1 - allowed) * -1e9))
    return dy.cmult(weights, dy.inputTensor(has_past))
    # END SOLUTION


def contexts(past: dy.Expression, weights: dy.Expression) -> dy.Expression:
    """c_t = sum over i of a_i h_i (Salton et al. 2017, Eq. 3), for every step that attends.

    past (H, T) x B, weights (T, Q) x B, a column for each step -> (H, Q) x B.

    With past = [[2, -1]] and weights = [[0, 0.25], [0, 0.75]], the contexts are [[0, -0.25]].
    """
    # BEGIN SOLUTION 6.4
    return past * weights
    # END SOLUTION
