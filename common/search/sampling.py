"""Sampling: sentences drawn from a model, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from common.search.decoding import Hypothesis, Limit, Searchable, next_words, roll_out


def sample(model: Searchable, number: int, rng: np.random.Generator, max_words: Limit = 100) -> list[Hypothesis]:
    """Draw `number` sentences from the model, word by word from P(next word | words so far) (Neubig 2017, Algorithm 3).

    A sentence that reaches `max_words` words is cut there and marked as not finished.
    """

    def step(state: Any, words: Sequence[int]) -> tuple[Any, np.ndarray, np.ndarray]:
        state, log_probs = next_words(model, state, words)
        return state, *drawn_from(log_probs, rng)

    return roll_out(model, number, step, max_words)


def drawn_from(log_probs: Any, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """One word per row, drawn from log P(next word) as `next_words` gives it, and its log P: (rows,) each."""
    if not isinstance(log_probs, np.ndarray):
        from common.search import in_dynet

        return in_dynet.drawn_from(log_probs, rng)
    words = np.array([draw(row, rng) for row in log_probs])
    return words, log_probs[np.arange(len(words)), words]


def draw(log_probs: np.ndarray, rng: np.random.Generator) -> int:
    """One id from a distribution given as log-probabilities (V,): where its running sum passes a random number.

    Any id where no word has a probability.
    """
    cumulative = np.cumsum(np.exp(log_probs, dtype=np.float64))
    place = int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))
    return min(place, len(cumulative) - 1)
