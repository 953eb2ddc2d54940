"""The recurrent language model with a softmax that scores few words in training (--softmax class, sampled, ...)."""

from __future__ import annotations

import dynet as dy
import numpy as np

from common.nn.large_vocabulary import FewScores
from common.nn.recurrent import State
from common.nn.stacking import Carried, detach
from common.text.batching import Batch

from .model import RecurrentLM
from .settings import SOFTMAXES


class LargeRecurrentLM(FewScores, RecurrentLM):
    """h_t as in `RecurrentLM`, and P(next word) by one of the softmaxes of chapter 4."""

    choices = SOFTMAXES

    def loss(
        self, batch: Batch, carried: Carried | None = None, rng: np.random.Generator | None = None
    ) -> tuple[dy.Expression, list[State]]:
        hidden, last = self.states(batch.inputs, carried, self.dropout)
        return self.few_scores_loss(self.dropout(hidden), batch, rng), last

    def log_probs_from(self, batch: Batch, carried: Carried | None) -> tuple[np.ndarray, Carried]:
        dy.renew_cg()
        hidden, last = self.states(batch.inputs, carried)
        carried = detach(last)
        return self.exact_log_probs(hidden, batch), carried

    def distribution(self, hidden: dy.Expression) -> dy.Expression | np.ndarray:
        return self.softmax.distribution(hidden)
