"""The neural cache: a word is likely again where the state is like the one that it came from (Grave et al. 2017).

The cache holds pairs (h_i, x_{i+1}) of earlier states and the words that followed them. It is nothing that is trained:
it is laid over any recurrent model.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

BLOCK = 256
"""Predictions whose scores are computed together."""


class Cache(NamedTuple):
    """The settings of a cache: how sharply it distinguishes states, its weight, and how many pairs it contains."""

    theta: float
    share: float
    window: int


def first_held(position: np.ndarray, first: np.ndarray, window: int) -> np.ndarray:
    """The first position that the cache of each prediction holds: at most `window` back, and not before `first`."""
    return np.maximum(first, position - window)


def cache_probs(hidden: np.ndarray, words: np.ndarray, oldest: np.ndarray, theta: float) -> np.ndarray:
    """p_cache of every word of a text, given all before it (Grave et al. 2017, section 3).

    p_cache(w) = sum over i with x_{i+1} = w of exp(theta h_t . h_i), divided by the sum over all i in the cache.

    hidden: (N, H), the state that each word is predicted from; words: (N,) ids; oldest: (N,), the first position
    that the cache of each holds. -> (N,); NaN where the cache is empty.
    """
    probs = np.full(len(words), np.nan)
    for start in range(0, len(words), BLOCK):
        rows = np.arange(start, min(start + BLOCK, len(words)))
        columns = np.arange(oldest[rows].min(), rows[-1] + 1)
        in_window = (columns >= oldest[rows][:, None]) & (columns < rows[:, None])
        scores = np.where(in_window, theta * (hidden[rows] @ hidden[columns].T), -np.inf)
        filled = in_window.any(axis=1)
        weights = np.exp(scores[filled] - scores[filled].max(axis=1, keepdims=True))
        same = words[columns] == words[rows][filled][:, None]
        probs[rows[filled]] = (weights * same).sum(axis=1) / weights.sum(axis=1)
    return probs
