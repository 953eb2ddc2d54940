"""The recurrent language model: a state that is rewritten at every word (Neubig 2017, section 6).

Letters in the shapes: H hidden size, T time steps, B sentences in the batch, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dynet as dy
import numpy as np

from common.nn.arrays import Carried, attach, detach
from common.nn.dropout import Dropout
from common.nn.parameters import NeuralModel
from common.nn.recurrent import State
from common.nn.softmax import (
    NextWords,
    embed,
    fold_time,
    masked_sum,
    negative_log_probs,
    output_matrix,
    tied_logits,
    unfold_time,
)
from common.nn.stacking import Stack
from common.text.batching import Batch
from common.text.vocab import Vocabulary

from .settings import SOFTMAXES, Settings


class RecurrentLM(NeuralModel, NextWords):
    """m_t = M[e_{t-1}], h_t = RNN(m_t, h_{t-1}), p_t = softmax(W_hs h_t + b_s) (Neubig 2017, Eq. 45, 46, 53).

    softmax: "tied", W_hs is the embedding M itself (Press and Wolf 2017), or "untied", a matrix of its own.
    """

    settings_class = Settings

    def __init__(self, vocab: Vocabulary, log_frequencies: np.ndarray | None = None, **flags: Any):
        """As `NeuralModel` says."""
        settings = Settings(**flags)
        H, V, cell, scale = settings.hidden_size, len(vocab), settings.cell, settings.init_scale
        self.vocab, self.dropout = vocab, settings.masks
        shape = f"{cell}, {settings.layers} x {H}{', residual' * settings.residual}"
        self.name = f"recurrent LM, {shape}, {settings.softmax}, {V} words"
        self.footprint_of = settings.footprint

        self.collection = dy.ParameterCollection()
        self.embedding = self.collection.add_parameters((V, H), init=dy.UniformInitializer(scale))
        self.stack = Stack(self.collection, cell, H, settings.layers, scale, settings.residual)
        self.W_hs = output_matrix(self.collection, self.embedding, SOFTMAXES[settings.softmax], H, scale)
        bias = np.zeros(V) if log_frequencies is None else log_frequencies
        self.b_s = self.collection.add_parameters(V, init=dy.NumpyInitializer(bias))

    def loss(
        self, batch: Batch, carried: Carried | None = None, rng: np.random.Generator | None = None
    ) -> tuple[dy.Expression, list[State]]:
        """-log P of all sentences of the batch, summed, in nats, with dropout, and each layer's state at their ends.

        carried: the states to start from; the first ones unless given. rng: for softmaxes that draw samples.
        """
        hidden, last = self.states(batch.inputs, carried, self.dropout)
        return masked_sum(self.losses(hidden, batch, self.dropout), batch.mask), last

    def states(
        self, inputs: np.ndarray, carried: Carried | None = None, dropout: Dropout | None = None
    ) -> tuple[dy.Expression, list[State]]:
        """h_t of the top layer for every word, and each layer's state after the last: ids (T, B) -> (H, T) x B."""
        time, _ = inputs.shape
        embedded = unfold_time(embed(self.embedding, inputs.T.ravel().tolist()), time)
        return self.stack.run(embedded, attach(carried, self.stack.layers), dropout)

    def losses(self, hidden: dy.Expression, batch: Batch, dropout: Dropout) -> dy.Expression:
        """-log P(target) of every prediction: (H, T) x B -> (1,) x T*B."""
        return negative_log_probs(self.logits(fold_time(dropout(hidden))), batch.targets)

    def logits(self, hidden: dy.Expression) -> dy.Expression:
        """W_hs h_t + b_s, the argument of the softmax: (H,) x N -> (V,) x N."""
        return tied_logits(self.W_hs, self.b_s, hidden)

    def log_probs(self, batch: Batch) -> np.ndarray:
        """log P(target | words before it) in nats, (T, B), without dropout."""
        return self.log_probs_from(batch, None)[0]

    def log_probs_from(self, batch: Batch, carried: Carried | None) -> tuple[np.ndarray, Carried]:
        """The same where the text goes on from earlier states (None: it begins), and the states to go on from."""
        dy.renew_cg()
        hidden, last = self.states(batch.inputs, carried)
        losses = self.losses(hidden, batch, Dropout()).npvalue()
        return -np.reshape(losses, batch.targets.shape, order="F"), detach(last)

    def hidden_from(self, inputs: np.ndarray, carried: Carried | None = None) -> tuple[np.ndarray, Carried]:
        """h_t of the top layer as numbers, (H, T, B), for word ids (T, B), and the states to go on from."""
        dy.renew_cg()
        hidden, last = self.states(inputs, carried)
        return hidden.npvalue().reshape(-1, *inputs.shape, order="F"), detach(last)

    def start(self, batch_size: int) -> Sequence[State | None]:
        """Each layer's state before the first word. It begins a new computation graph: earlier states are void."""
        dy.renew_cg()
        return self.stack.first_states

    def next_words(
        self, states: Sequence[State | None], words: Sequence[int]
    ) -> tuple[Sequence[State | None], dy.Expression]:
        """Read one word per sentence; the new states, and log P(next word), (V,) x B in nats (`NextWords`)."""
        hidden, states = self.stack.step(embed(self.embedding, list(words)), states)
        return states, dy.log_softmax(self.logits(hidden))
