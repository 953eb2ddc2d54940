"""Pruning: a smaller model, without the n-grams that were seen too rarely to be worth their place.

Everything is counted and discounted as if nothing were left out, so the n-grams that stay keep their own parts. The own
part of one that goes is added to the back-off mass of its history, whose probabilities still add up to 1. Each order
has a threshold: what the text has at most so often goes. Thresholds never fall from one order to the next, so the first
n-1 words of an n-gram that stays have stayed as well, and its last n-1 words, too. `lmplz --prune` of KenLM (Heafield
et al. 2013) gives the same model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from common.text.vocab import Vocabulary

from .counts import Level
from .model import NgramLM
from .smoothing import Estimate, interpolate, total


def mark(levels: Sequence[Level], thresholds: Sequence[int]) -> list[Level]:
    """The levels with what is kept of each: the n-grams above the threshold of their order, and all unigrams."""
    masks = [level.counts > most for level, most in zip(levels, thresholds, strict=True)]
    masks[0][:] = True
    return [replace(level, kept=mask) for level, mask in zip(levels, masks, strict=True)]


def give_back(level: Level, own: np.ndarray, mass: np.ndarray) -> Estimate:
    """own, (N,), and the back-off mass of each history, to which the own parts of what is left out are added."""
    if level.kept is None:
        return own, mass
    return own, mass + total(level, np.where(level.kept, 0.0, own), len(mass))


def interpolate_kept(
    vocab: Vocabulary, levels: Sequence[Level], order_zero: np.ndarray, estimate: Callable[[int, Level, int], Estimate]
) -> NgramLM:
    """As `smoothing.interpolate`, of what is kept: all of it where the levels are not marked."""

    def giving_back(order: int, level: Level, n_histories: int) -> Estimate:
        return give_back(level, *estimate(order, level, n_histories))

    model = interpolate(vocab, levels, order_zero, giving_back)
    return (
        model
        if levels[0].kept is None
        else leave_out(model, [level.kept for level in levels if level.kept is not None])
    )


def leave_out(model: NgramLM, kept: Sequence[np.ndarray]) -> NgramLM:
    """The model with the n-grams that are kept, numbered anew. kept: for each order a truth value an n-gram, (N,)."""
    (first, *longer), log_probs, log_factors = model.tables()
    keys = [first]
    for below, here, old in zip(kept, kept[1:], longer, strict=False):
        contexts, words = np.divmod(old[here], len(model.vocab))
        keys.append((np.cumsum(below) - 1)[contexts] * len(model.vocab) + words)
    log_probs = [level[here] for level, here in zip(log_probs, kept, strict=True)]
    return NgramLM(model.vocab, keys, log_probs, [level[here] for level, here in zip(log_factors, kept, strict=False)])
