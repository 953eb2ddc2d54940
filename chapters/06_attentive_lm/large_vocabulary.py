"""The attentive language model with a softmax that scores few words in training (--softmax class, sampled, ...).

What differs from model.py: embedding and softmax are lookup tables, of which a step visits only the rows that it needs,
and P(next word) comes from h'_t by one of the softmaxes of chapter 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dynet as dy
import numpy as np

from common.nn.attention import COMBINE_STARTS, PAST_SCORES, contexts
from common.nn.dropout import NO_DROPOUT, Dropout
from common.nn.large_vocabulary import exact_log_probs, few_scores_loss, make_softmax
from common.nn.recurrent import LSTM, step_through
from common.nn.softmax import embed, fold_time, unfold_time
from common.text.batching import Batch
from common.text.vocab import Vocabulary

from .model import AttentiveLM, State
from .settings import SOFTMAXES, Settings


class LargeAttentiveLM(AttentiveLM):
    """h'_t as in `AttentiveLM`, and P(next word) by one of the softmaxes of chapter 4."""

    def __init__(self, vocab: Vocabulary, log_frequencies: np.ndarray | None = None, **flags: Any):
        """As `NeuralModel` says."""
        settings = Settings(**flags)
        H, V, scale = settings.hidden_size, len(vocab), settings.init_scale
        self.vocab, self.dropout, self.footprint_of = vocab, settings.masks, settings.footprint
        size = f"softmax {settings.softmax}, {settings.layers} x {H}, {V} words"
        self.name = f"attentive LM, score {settings.score}, {size}"

        self.collection = dy.ParameterCollection()
        self.embedding = self.collection.add_lookup_parameters((V, H), init=dy.UniformInitializer(scale))
        self.layers = [LSTM(self.collection, H, H, scale, settings.forget_bias) for _ in range(settings.layers)]
        self.score = PAST_SCORES[settings.score](self.collection, H, scale)
        shape = (H, 2 * H if self.score else H)
        self.W_c = self.collection.add_parameters(shape, init=COMBINE_STARTS[settings.merge_init](shape, scale))
        self.b_c = self.collection.add_parameters(H, init=0)
        self.softmax = make_softmax(SOFTMAXES[settings.softmax], self.collection, V, log_frequencies, settings)

    def loss(self, batch: Batch, rng: np.random.Generator | None = None) -> dy.Expression:
        """What training minimises, in nats, summed over the batch. rng: for softmaxes that draw samples."""
        return few_scores_loss(self.softmax, self.all_h_prime(batch.inputs, self.dropout), batch, rng)

    def log_probs(self, batch: Batch) -> np.ndarray:
        """log P(target | words before it) in nats, (T, B), without dropout; exact, whatever training estimates."""
        dy.renew_cg()
        return exact_log_probs(self.softmax, self.all_h_prime(batch.inputs), batch, len(self.vocab))

    def all_h_prime(self, inputs: np.ndarray, dropout: Dropout = NO_DROPOUT) -> dy.Expression:
        """h' of every step: word ids (T, B) -> (H,) x T*B."""
        states = self.states(inputs, dropout)
        c = [contexts(states, self.weights(states))] if self.score else []
        return self.h_prime(dy.concatenate([states, *c]), dropout)

    def h_prime(self, merged: dy.Expression, dropout: Dropout = NO_DROPOUT) -> dy.Expression:
        """h' = tanh(W_c [h; c] + b_c) (Eq. 7): [h; c] of T steps -> (H,) x T*B."""
        return fold_time(dropout(dy.tanh(dy.colwise_add(self.W_c * merged, self.b_c))))

    def next_words(self, state: State, words: Sequence[int]) -> tuple[State, dy.Expression | np.ndarray]:
        """As of `AttentiveLM`; log P(next word) by the softmax."""
        hidden, layers = step_through(self.layers, embed(self.embedding, list(words)), state.layers)
        query = unfold_time(hidden, 1)
        c = [self.context(state.memory, query)] if self.score else []
        log_probs = self.softmax.distribution(self.h_prime(dy.concatenate([query, *c])))
        return State(layers, [*state.memory, hidden]), log_probs
