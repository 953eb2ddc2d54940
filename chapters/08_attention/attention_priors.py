"""Priors on the weights of a step of attention: biases added to its scores (after Cohn et al. 2016).

Letters: S source words (padding included), B sentences in the batch; t a target word and j a source word, both from 0.
A bias is learnt like any other parameter, so how much the belief is worth is left to the data.
"""

from __future__ import annotations

import dynet as dy
import numpy as np

START_STRENGTH = 0.1
"""How much a word's distance from the diagonal costs before anything is learnt."""


class PositionBias:
    """b_tj = -s |j - rho t|: the further source word j is from the diagonal, the lower its score.

    s, `strength` (1, 1), is learnt. rho, `pace` (1, 1), is counted: source words for each target word in training. It
    stays as it is, and is among the parameters only so that a saved model has it. Neither needs the length of the
    target, which is not known in search. Nor that of the source: where the diagonal has left the sentence, all its
    words get further away alike, and the softmax stays what it was.
    """

    def __init__(self, collection: dy.ParameterCollection, pace: float):
        self.strength = collection.add_parameters((1, 1), init=START_STRENGTH)
        self.pace = collection.add_parameters((1, 1), init=pace)

    def scores(self, words: int, step: int) -> dy.Expression:
        """What is added to the scores of the first `words` source words at target word `step`: (S, 1)."""
        diagonal = self.pace.expr(False) * float(step)
        distance = dy.abs(dy.inputTensor(np.arange(words, dtype=float)[:, None]) - diagonal)
        return distance * -self.strength


class MarkovBias:
    """b_tj = sum over k of w_k alpha_{t-1, j-k}, |k| <= D: w_k for a jump of k words since the last step.

    `jumps` (1, 2D + 1) holds w_{-D} ... w_D, which start at 0. Jumps of more than D words get nothing.
    """

    def __init__(self, collection: dy.ParameterCollection, window: int):
        self.window = window
        self.jumps = collection.add_parameters((1, 2 * window + 1), init=0)

    def matrix(self, words: int) -> dy.Expression:
        """M with M_ji = w_{j-i}, (S, S), so that b_t = M alpha_{t-1}. It serves all steps of a batch."""
        offset = np.arange(words)[:, None] - np.arange(words) + self.window
        places = np.arange(2 * self.window + 1)[:, None] == offset.ravel(order="F")
        return dy.reshape(self.jumps * dy.inputTensor(places.astype(float)), (words, words))
