"""The softmax over the whole vocabulary, and what every output layer of a language model offers.

Letters in the shapes: V vocabulary, H size of what the output layer reads, N predictions side by side.
"""

from __future__ import annotations

import math
from typing import Protocol

import dynet as dy
import numpy as np

CLASSES_BY = {"frequency": "equal_frequency", "size": "equal_size"}
"""The choices of --classes-by: the names of functions of `class_softmax`."""
NORMALISERS = {"one": False, "learnt": True}
"""The choices of --normaliser: whether Z is learnt."""
SCORES_AT_ONCE = 2**24
"""How many scores of words an evaluation holds in memory side by side."""
STARTS = {"unigram": lambda unigram: unigram, "zero": lambda unigram: np.full(len(unigram), -math.log(len(unigram)))}
"""What --bias says of the bias, which starts from a distribution of the words here."""


class Softmax(Protocol):
    """From hidden vectors (H,) x N to distributions over the vocabulary; targets are word ids, (N,)."""

    def loss(self, hidden: dy.Expression, targets: np.ndarray, rng: np.random.Generator) -> dy.Expression:
        """What training minimises, in nats, summed over the N predictions: a scalar."""
        ...

    def log_probs(self, hidden: dy.Expression, targets: np.ndarray) -> np.ndarray:
        """The exact log P(target), in nats: (N,)."""
        ...

    def distribution(self, hidden: dy.Expression) -> dy.Expression | np.ndarray:
        """The exact log P(word) of every word, in nats: (V,) x N, or where it is computed in NumPy (N, V)."""
        ...


class FullSoftmax:
    """p = softmax(W_hs h + b_s), with a score for every word of the vocabulary (Neubig 2017, Eq. 42)."""

    def __init__(self, collection: dy.ParameterCollection, W: dy.Parameters, start: np.ndarray):
        """W: (V, H), the embedding itself where they are tied. start: log-probabilities for the bias, (V,)."""
        self.W = W
        self.b = collection.add_parameters(len(start), init=dy.NumpyInitializer(start))

    def scores(self, hidden: dy.Expression) -> dy.Expression:
        """s = W_hs h + b_s (Neubig 2017, Eq. 42): (V,) x N."""
        return dy.affine_transform([self.b, self.W, hidden])

    def losses(self, hidden: dy.Expression, targets: np.ndarray) -> dy.Expression:
        """-log p of each target (Neubig 2017, Eq. 43): (1,) x N."""
        return dy.pickneglogsoftmax_batch(self.scores(hidden), targets.tolist())

    def loss(self, hidden: dy.Expression, targets: np.ndarray, rng: np.random.Generator) -> dy.Expression:
        return dy.sum_batches(self.losses(hidden, targets))

    def log_probs(self, hidden: dy.Expression, targets: np.ndarray) -> np.ndarray:
        return -self.losses(hidden, targets).npvalue().ravel()

    def distribution(self, hidden: dy.Expression) -> dy.Expression:
        return dy.log_softmax(self.scores(hidden))


def in_parts(predictions: np.ndarray, words: int) -> list[np.ndarray]:
    """Predictions in parts, each of which holds at most `SCORES_AT_ONCE` scores of words, or is a single one."""
    most = max(1, SCORES_AT_ONCE // words)
    return np.array_split(predictions, -(-len(predictions) // most))


def side_by_side(numbers: np.ndarray) -> dy.Expression:
    """One constant for each of N predictions: (N,) -> (1,) x N."""
    return dy.reshape(dy.inputVector(numbers), (1,), len(numbers))
