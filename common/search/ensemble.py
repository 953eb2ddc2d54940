"""Several language models as one: the mean of their probabilities, or a mixture of two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from common.errors import UserError
from common.evaluation.perplexity import LanguageModel
from common.memory import Footprint
from common.text.batching import Batch


class Ensemble:
    """A language model that gives every word the mean of what its members give it (a `LanguageModel`).

    Members err in different places, and the mean of their distributions is a distribution. They may be of different
    chapters: those in DyNet advance in one computation graph. Raises `UserError` where there are no members or their
    vocabularies differ.
    """

    def __init__(self, models: Sequence[LanguageModel]):
        check_same_words(models)
        self.models, self.vocab = models, models[0].vocab
        self.footprint = footprint_of(models)
        self.plain_states = all(getattr(model, "plain_states", False) for model in models)

    def log_probs(self, batch: Batch) -> np.ndarray:
        """log P(target | words before it) in nats of every prediction, (T, B)."""
        return log_mean([model.log_probs(batch) for model in self.models])

    def start(self, batch_size: int) -> list:
        """Every member's state before the first word of `batch_size` sentences."""
        return [model.start(batch_size) for model in self.models]

    def advance(self, states: list, words: Sequence[int]) -> tuple[list, np.ndarray]:
        """Every member reads one word per sentence; their states, and log P(next word), (B, V)."""
        steps = [model.advance(state, words) for model, state in zip(self.models, states, strict=True)]
        return [state for state, _ in steps], log_mean([log_probs for _, log_probs in steps])


def footprint_of(models: Sequence[object]) -> Footprint | None:
    """The sum of what the models take that read the same sentence; None where one does not say it."""
    each = [getattr(model, "footprint", None) for model in models]
    return None if None in each else Footprint(*map(sum, zip(*each, strict=True)))


def log_mean(log_probs: Sequence[np.ndarray]) -> np.ndarray:
    """The logarithm of the mean of probabilities that are given as logarithms, element by element."""
    return np.logaddexp.reduce(log_probs, axis=0) - math.log(len(log_probs))


def mix(log_base: np.ndarray, extra: np.ndarray, weight: float) -> np.ndarray:
    """log of (1 - weight) base + weight extra, and of base alone where extra is undefined (NaN); arrays of one shape.

    log_base, and what comes back, in nats; extra as probabilities (Neubig 2017, Eq. 9).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        mixed = np.logaddexp(np.log1p(-weight) + log_base, np.log(weight) + np.log(extra))
    return np.where(np.isnan(extra), log_base, mixed)


def check_same_words(models: Sequence[Any]) -> None:
    """Raises `UserError` where models cannot be averaged: there are none, or an id is not the same word to all."""
    if not models:
        raise UserError("an ensemble needs at least one model")
    first = models[0].vocab.words
    for number, model in enumerate(models[1:], start=2):
        if model.vocab.words != first:
            raise UserError(
                f"models 1 and {number} have different vocabularies ({len(first):,} and {len(model.vocab):,}); "
                "average models that were trained on one corpus with one --min-count (and --subwords, to translate)"
            )
