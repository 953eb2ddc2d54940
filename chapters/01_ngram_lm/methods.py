"""Every smoothing method by its name, in the order in which the lesson meets them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from common.text.vocab import Vocabulary

from .counts import Level
from .model import NgramLM
from .smoothing import (
    Estimate,
    absolute,
    continuation_counts,
    fixed_weights,
    interpolate,
    maximum_likelihood,
    witten_bell,
)

Ids = Sequence[Sequence[int]]
Method = Callable[[Vocabulary, Sequence[Level], np.ndarray, Ids], NgramLM]


def by_counts(estimate: Callable[[int, Level, int], Estimate], continued: bool = False) -> Method:
    """A method that needs nothing but counts, without the n-grams that --prune leaves out. continued: whether the
    counts of shorter n-grams are those of Kneser and Ney."""

    def method(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
        used = continuation_counts(levels) if continued else levels
        if levels[0].kept is None:
            return interpolate(vocab, used, zero, estimate)
        from .pruning import interpolate_kept

        return interpolate_kept(vocab, used, zero, estimate)

    return method


def by_fixed_weights(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
    from .tuning import tune_weights

    return interpolate(vocab, levels, zero, fixed_weights(tune_weights(vocab, levels, zero, dev)))


def by_weights_of(classes: str) -> Method:
    """A method with a weight for each order and class of histories, tuned on dev. classes: a function of `buckets`."""

    def method(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
        from . import buckets

        return buckets.by_class_weights(vocab, levels, zero, dev, getattr(buckets, classes))

    return method


def by_katz(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
    from .katz import katz

    return katz(vocab, levels, zero)


METHODS: dict[str, Method] = {
    "maximum-likelihood": by_counts(maximum_likelihood),
    "fixed-weights": by_fixed_weights,
    "witten-bell": by_counts(witten_bell),
    "katz": by_katz,
    "absolute": by_counts(absolute(1)),
    "kneser-ney": by_counts(absolute(1), continued=True),
    "modified-kneser-ney": by_counts(absolute(3), continued=True),
    "weights-by-count": by_weights_of("by_count"),
    "weights-by-mean-count": by_weights_of("by_mean_count"),
}
"""Each makes a model from the levels of counts, the distribution of order zero and the dev split (for weights)."""
