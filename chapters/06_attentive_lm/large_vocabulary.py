"""The attentive language model with a softmax that scores few words in training (--softmax class, sampled, ...)."""

from __future__ import annotations

from pathlib import Path

import dynet as dy
import numpy as np

from common.nn.large_vocabulary import FewScores
from common.text.batching import Batch
from common.text.vocab import Vocabulary
from common.training.unigram import kept_unigram

from .model import AttentiveLM
from .settings import SOFTMAXES, Settings


class LargeAttentiveLM(FewScores, AttentiveLM):
    """h'_t as in `AttentiveLM`, and P(next word) by one of the softmaxes of chapter 4."""

    choices = SOFTMAXES

    def loss(self, batch: Batch, rng: np.random.Generator | None = None) -> dy.Expression:
        merged = self.merged(self.states(batch.inputs, self.dropout))
        return self.few_scores_loss(self.h_prime(merged, self.dropout), batch, rng)

    def log_probs(self, batch: Batch) -> np.ndarray:
        dy.renew_cg()
        return self.exact_log_probs(self.h_prime(self.merged(self.states(batch.inputs))), batch)

    def distribution(self, merged: dy.Expression) -> dy.Expression | np.ndarray:
        return self.softmax.distribution(self.h_prime(merged))


def make_model(
    vocab: Vocabulary, settings: Settings, log_frequencies: np.ndarray | None, folder: Path | None
) -> LargeAttentiveLM:
    """As `model.make_model`."""
    return LargeAttentiveLM.from_settings(settings, vocab, kept_unigram(folder, len(vocab), log_frequencies))
