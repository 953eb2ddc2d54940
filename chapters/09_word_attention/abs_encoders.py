"""How ABS reads a source: the choices of --encoder (Rush, Chopra and Weston 2015, section 3.2).

Letters in the shapes: H hidden size, S source words, T target time steps, B sentences in the batch, V words of the
target vocabulary, C words of a history.
"""

from __future__ import annotations

from typing import Any, Protocol

import dynet as dy
import numpy as np

from common.nn.softmax import unfold_time

from .word_windows import around, side_by_side


class Encoder(Protocol):
    """The interface of both: what is averaged, and the scores whose softmax gives the weights p of that mean."""

    def averaged(self, words: dy.Expression, lengths: np.ndarray) -> dy.Expression:
        """The vector that stands for each word: embeddings (H, S) x B -> (H, S) x B."""
        ...

    def scores(self, keys: dy.Expression, words: np.ndarray) -> dy.Expression:
        """Of each source word for each history: keys (S, H) x B, the words of histories (C, T, B) -> (S, T) x B."""
        ...


class BagOfWords:
    """p = [1/M, ..., 1/M]: every word counts alike, whatever has been written."""

    def __init__(self, collection: dy.ParameterCollection, words: int, settings: Any):
        """It has no parameters."""

    def averaged(self, words: dy.Expression, lengths: np.ndarray) -> dy.Expression:
        return words

    def scores(self, keys: dy.Expression, words: np.ndarray) -> dy.Expression:
        return dy.zeros((keys.dim()[0][0], words.shape[1]), batch_size=keys.dim()[1])


class AttentionBased:
    """p = softmax(x_j . P y'_c), the mean is one of smoothed embeddings; y'_c = [G y_{t-C}; ...; G y_{t-1}].

    `G` (V, H) are embeddings of summary words for this purpose alone, `P` (H, C*H).
    """

    def __init__(self, collection: dy.ParameterCollection, words: int, settings: Any):
        """words: of the target vocabulary."""
        H, uniform = settings.hidden_size, dy.UniformInitializer(settings.init_scale)
        self.smooth = settings.smooth
        self.G = collection.add_parameters((words, H), init=uniform)
        self.P = collection.add_parameters((H, settings.context * H), init=uniform)

    def averaged(self, words: dy.Expression, lengths: np.ndarray) -> dy.Expression:
        """x-bar_j: the mean of the 2Q + 1 embeddings around a word; beyond the ends of the sentence they are zero.

        The divisor is 2Q + 1, where the paper prints Q.
        """
        window = around(words, lengths, self.smooth)
        return dy.esum(window) * (1 / len(window))

    def scores(self, keys: dy.Expression, words: np.ndarray) -> dy.Expression:
        queries = self.P * side_by_side(self.G, words)
        return keys * unfold_time(queries, words.shape[1])
