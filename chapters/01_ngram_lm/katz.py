"""Back-off (Katz 1987): the shorter n-grams are used only for words that the longer ones never saw.

Interpolation always mixes all orders. Back-off keeps the n-gram's own, discounted probability where there is one,
and scales the shorter distribution so that the words that are left get what the discounts set free.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from common.text.vocab import Vocabulary

from .counts import Level
from .model import NgramLM
from .smoothing import divide, total

LARGEST_DISCOUNTED = 5
"""Counts above it are taken at their word."""


def katz(vocab: Vocabulary, levels: Sequence[Level], order_zero: np.ndarray) -> NgramLM:
    """A back-off model with Good-Turing discounts. order_zero: the distribution below the unigrams, (V,)."""
    probs, factors = [], []
    lower, contexts = order_zero, 1
    for level in levels:
        own = discounted(level, contexts)
        free = np.maximum(1 - total(level, own, contexts), 0)
        left = np.maximum(1 - total(level, np.where(level.counts > 0, lower[level.suffixes], 0), contexts), 0)
        nobody = left < 1e-9  # every word was seen here, so what is free returns to them
        own = np.where(nobody[level.contexts], own / (1 - free)[level.contexts], own)
        factor = np.where(nobody, 0.0, divide(free, left, 0.0))
        lower = np.where(level.counts > 0, own, factor[level.contexts] * lower[level.suffixes])
        probs.append(lower)
        factors.append(factor)
        contexts = len(level.keys)
    return NgramLM.from_probabilities(vocab, [level.keys for level in levels], probs, factors[1:])


def discounted(level: Level, contexts: int) -> np.ndarray:
    """d_r r / c(h) for every n-gram seen r times, (N,).

    A context whose followers were all seen too often to be discounted would leave nothing for other words; one is
    added to its c(h), as if another word had been seen once.
    """
    ratios = good_turing_ratios(level.counts)
    reduced = level.counts * ratios[np.minimum(level.counts, len(ratios) - 1)]
    seen = total(level, level.counts, contexts)
    seen += total(level, reduced, contexts) > seen - 1e-9
    return reduced / seen[level.contexts]


def good_turing_ratios(counts: np.ndarray) -> np.ndarray:
    """d_r for r = 0 ... k + 1, where k is the largest count discounted and d_{k+1} = 1 is for all above it (Katz 1987).

    Good and Turing: what was seen r times deserves the count r* = (r + 1) n_{r+1} / n_r, n_r being how many n-grams
    were seen r times. d_r is r* / r, moved so that all that is set free is the n_1 / N of the unseen. k is 5, or less
    where that many counts of counts are not at hand; where none is, only singletons are discounted, by half.
    """
    n = np.bincount(np.minimum(counts, LARGEST_DISCOUNTED + 2), minlength=LARGEST_DISCOUNTED + 3).astype(float)
    for largest in range(LARGEST_DISCOUNTED, 1, -1):  # with 1 alone, nothing of r* would be left
        r = np.arange(1, largest + 1)
        if (n[1 : largest + 2] == 0).any():
            continue
        common = (largest + 1) * n[largest + 1] / n[1]
        ratios = ((r + 1) * n[r + 1] / (r * n[r]) - common) / (1 - common) if common != 1 else np.zeros(largest)
        if ((ratios > 0) & (ratios < 1)).all():
            return np.array([1.0, *ratios, 1.0])
    return np.array([1.0, 0.5, 1.0])
