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


def by_maximum_likelihood(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
    return interpolate(vocab, levels, zero, maximum_likelihood)


def by_fixed_weights(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
    from .tuning import tune_weights

    return interpolate(vocab, levels, zero, fixed_weights(tune_weights(vocab, levels, zero, dev)))


def by_weights_of(classes: str) -> Method:
    """A method with a weight for each order and class of histories, tuned on dev. classes: a function of `buckets`."""

    def method(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
        from . import buckets

        return buckets.by_class_weights(vocab, levels, zero, dev, getattr(buckets, classes))

    return method


def by_counts(
    vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, estimate: Callable[[int, Level, int], Estimate]
) -> NgramLM:
    """Interpolated, without the n-grams that --prune leaves out."""
    if levels[0].kept is None:
        return interpolate(vocab, levels, zero, estimate)
    from .pruning import interpolate_kept

    return interpolate_kept(vocab, levels, zero, estimate)


def by_witten_bell(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
    return by_counts(vocab, levels, zero, witten_bell)


def by_katz(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
    from .katz import katz

    return katz(vocab, levels, zero)


def by_absolute_discounting(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
    return by_counts(vocab, levels, zero, absolute(1))


def by_kneser_ney(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
    return by_counts(vocab, continuation_counts(levels), zero, absolute(1))


def by_modified_kneser_ney(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
    return by_counts(vocab, continuation_counts(levels), zero, absolute(3))


METHODS: dict[str, Method] = {
    "maximum-likelihood": by_maximum_likelihood,
    "fixed-weights": by_fixed_weights,
    "witten-bell": by_witten_bell,
    "katz": by_katz,
    "absolute": by_absolute_discounting,
    "kneser-ney": by_kneser_ney,
    "modified-kneser-ney": by_modified_kneser_ney,
    "weights-by-count": by_weights_of("by_count"),
    "weights-by-mean-count": by_weights_of("by_mean_count"),
}
"""Each makes a model from the levels of counts, the distribution of order zero and the dev split (for weights)."""
