"""Local attention: a step sees a window of the source (Luong et al. 2015, section 3.2)."""

from __future__ import annotations

from typing import NamedTuple

import dynet as dy
import numpy as np

from common.nn.softmax import FORBIDDEN, as_columns


class Window(NamedTuple):
    """The window of a step: what is added to the scores and what the weights are multiplied by, each (S, 1) x B."""

    outside: dy.Expression
    gaussian: dy.Expression


class LocalWindow:
    """The network predicts the place to attend to ("local-p"): p_t = S sigmoid(v . tanh(W h_t)), from 0 to the length.

    Source word s, counted from 1, is in the window where |s - p_t| < D. Its weight in the softmax over the window is
    multiplied by exp(-(s - p_t)^2 / (2 sigma^2)), sigma = D / 2, through which p_t gets its gradient. These weights
    do not sum to one. W (A, Q), v (1, A).
    """

    def __init__(self, collection: dy.ParameterCollection, query_size: int, size: int, window: int, init_scale: float):
        uniform = dy.UniformInitializer(init_scale)
        self.W = collection.add_parameters((size, query_size), init=uniform)
        self.v = collection.add_parameters((1, size), init=uniform)
        self.window = window

    def place(self, query: dy.Expression, lengths: dy.Expression) -> dy.Expression:
        """p_t, (1, 1) x B: query (Q,) x B, lengths (1, 1) x B, the words of each source."""
        return dy.cmult(lengths, dy.logistic(self.v * dy.tanh(self.W * as_columns(query))))

    def window_for(self, query: dy.Expression, lengths: dy.Expression, words: int) -> Window:
        """The window over a source padded to `words`."""
        distance = distances(self.place(query, lengths), words)
        sigma = self.window / 2
        return Window(outside(distance, self.window), dy.exp(dy.square(distance) * (-0.5 / sigma**2)))


class MonotonicWindow:
    """Nothing is predicted ("local-m"): the place is the number of the target word, p_t = t, counted from 1.

    Source word s is in the window where |s - p_t| <= D. A target may be longer than its source, of which the paper says
    nothing: here p_t stays at the last word then, p_t = min(t, S).
    """

    def __init__(self, window: int):
        self.window = window

    def outside(self, step: int, lengths: dy.Expression, words: int) -> dy.Expression:
        """What is added to the scores at target word `step`, from 0: (S, 1) x B. lengths: (1, 1) x B."""
        place = lengths - dy.rectify(lengths - float(step + 1))
        return outside(distances(place, words), self.window + 0.5)  # between D and D + 1, where no distance is


def distances(place: dy.Expression, words: int) -> dy.Expression:
    """How far each of `words` source words is from a place, (1, 1) x B: (S, 1) x B."""
    return dy.abs(dy.inputTensor(np.arange(1.0, words + 1)[:, None]) - place)


def outside(distance: dy.Expression, reach: float) -> dy.Expression:
    """0 for the words nearer than `reach`, `FORBIDDEN` or less for the others, (S, 1) x B."""
    beyond = dy.floor(dy.nobackprop(distance) * (1 / reach), "zero_gradient")  # 0 within, else 1 or more
    return beyond * FORBIDDEN
