"""Every smoothing method by its name, in the order in which the lesson meets them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from common.text.vocab import Vocabulary

from .counts import Level
from .katz import katz
from .model import NgramLM
from .smoothing import absolute, continuation_counts, fixed_weights, interpolate, maximum_likelihood, witten_bell
from .tuning import tune_weights

Ids = Sequence[Sequence[int]]


def by_maximum_likelihood(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
    return interpolate(vocab, levels, zero, maximum_likelihood)


def by_fixed_weights(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
    return interpolate(vocab, levels, zero, fixed_weights(tune_weights(vocab, levels, zero, dev)))


def by_witten_bell(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
    return interpolate(vocab, levels, zero, witten_bell)


def by_katz(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
    return katz(vocab, levels, zero)


def by_absolute_discounting(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
    return interpolate(vocab, levels, zero, absolute(1))


def by_kneser_ney(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
    return interpolate(vocab, continuation_counts(levels), zero, absolute(1))


def by_modified_kneser_ney(vocab: Vocabulary, levels: Sequence[Level], zero: np.ndarray, dev: Ids) -> NgramLM:
    return interpolate(vocab, continuation_counts(levels), zero, absolute(3))


Method = Callable[[Vocabulary, Sequence[Level], np.ndarray, Ids], NgramLM]

METHODS: dict[str, Method] = {
    "maximum-likelihood": by_maximum_likelihood,
    "fixed-weights": by_fixed_weights,
    "witten-bell": by_witten_bell,
    "katz": by_katz,
    "absolute": by_absolute_discounting,
    "kneser-ney": by_kneser_ney,
    "modified-kneser-ney": by_modified_kneser_ney,
}
"""Each makes a model from the levels of counts, the distribution of order zero and the dev split (for weights)."""
