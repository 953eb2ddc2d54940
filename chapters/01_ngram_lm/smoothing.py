"""From counts to probabilities: maximum likelihood and the smoothing methods that interpolate.

All of them have one form (Neubig 2017, Eq. 10). Order by order, from the shortest up,

    P(w | h) = own(h w) + mass(h) * P(w | h without its first word)

with an own part for each n-gram seen, and mass(h), the back-off mass that multiplies the shorter n-gram's
probability. They differ in both. A context that was never seen has a back-off mass of 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from common.text.vocab import Vocabulary

from .counts import Level
from .model import NgramLM

Estimate = tuple[np.ndarray, np.ndarray]
"""own, (N,), one for each n-gram of a level; mass, one for each n-gram of the level below, as a history."""

FALLBACK_DISCOUNTS = (0.5, 1.0, 1.5)
"""For counts 1, 2, 3 and more, where a text is too small or too odd to say."""


def interpolate(
    vocab: Vocabulary,
    levels: Sequence[Level],
    order_zero: np.ndarray,
    estimate: Callable[[int, Level, int], Estimate],
) -> NgramLM:
    """The model whose orders are interpolated from the shortest up (Neubig 2017, Eq. 9 and 10).

    order_zero: the distribution (V,) that the unigrams are interpolated with. estimate(order, level, n_histories)
    gives own and mass of an order with that number of histories.
    """
    probs, factors = [], []
    lower, n_histories = order_zero, 1
    for order, level in enumerate(levels, start=1):
        own, mass = estimate(order, level, n_histories)
        lower = own + mass[level.contexts] * lower[level.suffixes]
        probs.append(lower)
        factors.append(mass)
        n_histories = len(level.keys)
    return NgramLM.from_probabilities(vocab, [level.keys for level in levels], probs, factors[1:])


def below_unigrams(unk: str, vocab: Vocabulary, first: Level) -> np.ndarray:
    """The distribution of order zero, (V,), for what an unknown word costs (--unk). first: the unigrams."""
    return order_zero(len(vocab), unk in ("uniform", "characters") and first.counts[vocab.unknown] == 0)


def order_zero(vocabulary_size: int, spells_unknown: bool) -> np.ndarray:
    """The distribution below the unigrams, (V,) (Neubig 2017, Eq. 16).

    spells_unknown: all of it goes to `<unk>`; an unknown word then costs the weight of order zero times what the
    unknown-word model spells it with. Otherwise all words of the vocabulary share it.
    """
    if not spells_unknown:
        return np.full(vocabulary_size, 1 / vocabulary_size)
    distribution = np.zeros(vocabulary_size)
    distribution[Vocabulary.unknown] = 1
    return distribution


def total(level: Level, values: np.ndarray, contexts: int) -> np.ndarray:
    """The sum of values (N,) over the n-grams of each context: (contexts,)."""
    return np.bincount(level.contexts, weights=values, minlength=contexts)


def divide(above: np.ndarray, below: np.ndarray, otherwise: float) -> np.ndarray:
    """above / below, and `otherwise` where below is 0."""
    return np.divide(above, below, out=np.full(len(below), otherwise), where=below > 0)


def maximum_likelihood(order: int, level: Level, contexts: int) -> Estimate:
    """Neubig 2017, Eq. 8: c(h w) / c(h). The back-off mass is 0."""
    seen = total(level, level.counts, contexts)
    return level.counts / seen[level.contexts], divide(np.zeros(contexts), seen, 1.0)


def fixed_weights(weights: Sequence[float]) -> Callable[[int, Level, int], Estimate]:
    """Neubig 2017, Eq. 9 and 10: (1 - alpha) of maximum likelihood, back-off mass alpha; an alpha for each order."""

    def estimate(order: int, level: Level, contexts: int) -> Estimate:
        alpha = weights[order - 1]
        own, mass = maximum_likelihood(order, level, contexts)
        passed_on = np.where(mass == 1, 1.0, alpha)  # all of it where nothing ever followed
        return (1 - alpha) * own, passed_on

    return estimate


def witten_bell(order: int, level: Level, contexts: int) -> Estimate:
    """Hold out more the more different words T(h) followed: T(h) / (c(h) + T(h)) (Witten and Bell 1991)."""
    kinds = total(level, level.counts > 0, contexts)
    seen = total(level, level.counts, contexts) + kinds
    return level.counts / seen[level.contexts], divide(kinds, seen, 1.0)


def absolute(number: int) -> Callable[[int, Level, int], Estimate]:
    """Subtract a discount from every count and hold out what was subtracted (Ney, Essen and Kneser 1994).

    number: 1 for one discount for all counts, 3 for one each for the counts 1, 2, and 3 or more.
    """

    def estimate(order: int, level: Level, contexts: int) -> Estimate:
        return subtract(level, contexts, estimate_discounts(level.counts, number))

    return estimate


def subtract(level: Level, contexts: int, discounts: tuple[float, float, float]) -> Estimate:
    """What is left of the counts of a level without the discounts of the counts 1, 2, and 3 or more."""
    subtracted = np.array([0.0, *discounts])[np.minimum(level.counts, 3)]
    seen = total(level, level.counts, contexts)
    own = (level.counts - subtracted) / seen[level.contexts]
    return own, divide(total(level, subtracted, contexts), seen, 1.0)


def estimate_discounts(counts: np.ndarray, number: int) -> tuple[float, float, float]:
    """What to subtract from the counts 1, 2, and 3 or more: one number for all of them, or three (`discounts_of`)."""
    return discounts_of(counts_of_counts(counts), number)


def counts_of_counts(counts: np.ndarray) -> np.ndarray:
    """n_r: how many n-grams were seen r times, for r = 0 ... 4."""
    return np.bincount(np.minimum(counts, 5), minlength=6)[:5].astype(float)


def discounts_of(n: np.ndarray, number: int) -> tuple[float, float, float]:
    """What to subtract from the counts 1, 2, and 3 or more, from how many n-grams were seen r times, n_r.

    With Y = n_1 / (n_1 + 2 n_2): Y for all, or r - (r + 1) Y n_{r+1} / n_r for r = 1, 2, 3 (Chen and Goodman 1999).
    Where a text is too small for that, a number does not exist, or is r, which would leave nothing of a count: all
    three are then those of the fallback, as with `lmplz --discount_fallback` of KenLM.
    """
    counts = (1, 1, 1) if number == 1 else (1, 2, 3)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = n[1] / (n[1] + 2 * n[2])
        discounts = [share] * 3 if number == 1 else [r - (r + 1) * share * n[r + 1] / n[r] for r in counts]
    if all(0 < discount < r for discount, r in zip(discounts, counts, strict=True)):
        one, two, more = map(float, discounts)
        return one, two, more
    return FALLBACK_DISCOUNTS[:1] * 3 if number == 1 else FALLBACK_DISCOUNTS


def continuation_counts(levels: Sequence[Level]) -> list[Level]:
    """The counts of Kneser and Ney (1995): below the highest order, how many different words came before an n-gram.

    A shorter n-gram is used when the longer one was never seen, so what matters is in how many places it fits, not
    how often it was seen. Nothing comes before `<s>`, so n-grams that begin with it keep their counts.
    """
    changed = []
    for level, longer in zip(levels, levels[1:], strict=False):
        before = np.bincount(longer.suffixes, minlength=len(level.keys))
        changed.append(replace(level, counts=np.where(level.opens, level.counts, before)))
    return [*changed, levels[-1]]
