"""The worked examples of chapter 1 that compare discounts with new text: how often train's bigrams come in dev."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from book.worked.ch01 import counts, smoothing, village


def three_discounts() -> Iterator[float]:
    """The discounts of modified Kneser-Ney for the village's bigrams, and those that the new text asks for."""
    level = village()[1][1]
    yield from smoothing.estimate_discounts(level.counts, 3)
    yield from (r - mean for r, mean in enumerate(new_counts(3), start=1))


def good_turing() -> Iterator[float]:
    """What Good and Turing make of the count 1 of the village's bigrams, and how often such bigrams come in dev."""
    once, twice = (int((village()[1][1].counts == times).sum()) for times in (1, 2))
    yield from (twice, once, 2, twice, 1, 2, twice, once, 2 * twice / once, new_counts(1)[0])


def new_counts(most: int) -> np.ndarray:
    """For counts 1 to `most`: how often bigrams that train holds so often occur in as much new text, on average.

    The new text is dev, scaled to the size of train.
    """
    vocab, levels, _, dev = village()
    old, new = levels[1], counts.count_ngrams(dev, 2, len(vocab))[1]
    scale = old.counts.sum() / new.counts.sum()
    fresh = np.zeros(len(old.keys))
    places = np.searchsorted(old.keys, new.keys)
    held = (places < len(old.keys)) & (old.keys[np.minimum(places, len(old.keys) - 1)] == new.keys)
    fresh[places[held]] = new.counts[held]
    return np.array([fresh[old.counts == r].mean() * scale for r in range(1, most + 1)])
