"""The recurrent language model with a softmax that scores few words in training (--softmax class, sampled, ...).

What differs from model.py: embedding and softmax are lookup tables, of which a step visits only the rows that it needs,
and P(next word) comes from h_t by one of the softmaxes of chapter 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dynet as dy
import numpy as np

from common.nn.arrays import Carried, detach
from common.nn.large_vocabulary import exact_log_probs, few_scores_loss, make_softmax
from common.nn.recurrent import State
from common.nn.softmax import embed
from common.nn.stacking import Stack
from common.text.batching import Batch
from common.text.vocab import Vocabulary

from .model import RecurrentLM
from .settings import SOFTMAXES, Settings


class LargeRecurrentLM(RecurrentLM):
    """h_t as in `RecurrentLM`, and P(next word) by one of the softmaxes of chapter 4."""

    def __init__(self, vocab: Vocabulary, log_frequencies: np.ndarray | None = None, **flags: Any):
        """As `NeuralModel` says."""
        settings = Settings(**flags)
        H, V, cell, scale = settings.hidden_size, len(vocab), settings.cell, settings.init_scale
        self.vocab, self.dropout, self.footprint_of = vocab, settings.masks, settings.footprint
        shape = f"{cell}, {settings.layers} x {H}{', residual' * settings.residual}"
        self.name = f"recurrent LM, {shape}, {settings.softmax}, {V} words"

        self.collection = dy.ParameterCollection()
        self.embedding = self.collection.add_lookup_parameters((V, H), init=dy.UniformInitializer(scale))
        self.stack = Stack(self.collection, cell, H, settings.layers, scale, settings.residual)
        self.softmax = make_softmax(SOFTMAXES[settings.softmax], self.collection, V, log_frequencies, settings)

    def loss(
        self, batch: Batch, carried: Carried | None = None, rng: np.random.Generator | None = None
    ) -> tuple[dy.Expression, list[State]]:
        """What training minimises, in nats, summed over the batch, and each layer's state at the ends. rng: for
        softmaxes that draw samples."""
        hidden, last = self.states(batch.inputs, carried, self.dropout)
        return few_scores_loss(self.softmax, self.dropout(hidden), batch, rng), last

    def log_probs_from(self, batch: Batch, carried: Carried | None) -> tuple[np.ndarray, Carried]:
        """As of `RecurrentLM`; exact, whatever training estimates."""
        dy.renew_cg()
        hidden, last = self.states(batch.inputs, carried)
        carried = detach(last)
        return exact_log_probs(self.softmax, hidden, batch, len(self.vocab)), carried

    def next_words(
        self, states: Sequence[State | None], words: Sequence[int]
    ) -> tuple[Sequence[State | None], dy.Expression | np.ndarray]:
        """Read one word per sentence; the new states, and log P(next word) by the softmax."""
        hidden, states = self.stack.step(embed(self.embedding, list(words)), states)
        return states, self.softmax.distribution(hidden)
