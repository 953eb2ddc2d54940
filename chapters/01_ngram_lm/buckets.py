"""Weights by context: an alpha for each class of histories instead of one for each order.

A history that was seen a thousand times deserves more trust than one that was seen once, so the two should not share a
weight. Nor can each history have its own: most come too rarely in dev to say what it should be. So histories of an
order are put into classes, and each class has a weight (Jelinek and Mercer 1980).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from common.text.vocab import Vocabulary

from .counts import Level
from .model import NgramLM
from .smoothing import Estimate, interpolate, maximum_likelihood, total
from .tuning import numbers_of_histories, tune_weights_by_class

MOST = 16
"""The last class of an order: it has no upper end."""


def ranges(values: np.ndarray, steps: int) -> np.ndarray:
    """The range of each value from 1 up, numbered from 0: `steps` ranges until the value has doubled."""
    return np.minimum(np.floor(steps * np.log2(np.maximum(values, 1))), MOST).astype(np.int64)


def by_count(level: Level, histories: int) -> np.ndarray:
    """The class of each history by c(h): 1, 2 to 3, 4 to 7, 8 to 15, ...; (histories,)."""
    return ranges(total(level, level.counts, histories), 1)


def by_mean_count(level: Level, histories: int) -> np.ndarray:
    """The class of each history by c(h) / T(h), how often the words after it were seen on average; (histories,).

    Chen and Goodman (1999) found it better than c(h). T(h) is the number of different words after h.
    """
    seen, kinds = total(level, level.counts, histories), total(level, level.counts > 0, histories)
    return ranges(seen / np.maximum(kinds, 1), 2)


Classes = Callable[[Level, int], np.ndarray]


def classes_of(levels: Sequence[Level], classes: Classes) -> list[np.ndarray]:
    """For each order the class of each of its histories."""
    return [classes(level, number) for level, number in zip(levels, numbers_of_histories(levels), strict=True)]


def by_class_weights(
    vocab: Vocabulary, levels: Sequence[Level], order_zero: np.ndarray, dev: Sequence[Sequence[int]], classes: Classes
) -> NgramLM:
    """The interpolated model whose weights, one for each order and class, are tuned on dev."""
    numbers = classes_of(levels, classes)
    weights = tune_weights_by_class(vocab, levels, order_zero, dev, numbers)
    return interpolate(vocab, levels, order_zero, weights_by_class(weights, numbers))


def weights_by_class(
    weights: Sequence[np.ndarray], classes: Sequence[np.ndarray]
) -> Callable[[int, Level, int], Estimate]:
    """Neubig 2017, Eq. 10 with an alpha for each order and class of histories.

    weights: for each order the alpha of each class; classes: for each order the class of each history.
    """

    def estimate(order: int, level: Level, contexts: int) -> Estimate:
        alpha = weights[order - 1][classes[order - 1]]
        own, mass = maximum_likelihood(order, level, contexts)
        passed_on = np.where(mass == 1, 1.0, alpha)  # all of it where nothing ever followed
        return (1 - alpha[level.contexts]) * own, passed_on

    return estimate
