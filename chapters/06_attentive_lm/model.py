"""The attentive language model: an LSTM that attends to its own past (Salton, Ross and Kelleher 2017).

Letters in the shapes: H hidden size, T time steps, B sentences in the batch, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.nn.attention import COMBINE_STARTS, PAST_SCORES, causal_weights, contexts
from common.nn.dropout import NO_DROPOUT, Dropout
from common.nn.parameters import NeuralModel
from common.nn.recurrent import LSTM, LSTMState, step_through
from common.nn.softmax import NextWords, embed, fold_time, masked_sum, negative_log_probs, tied_logits, unfold_time
from common.text.batching import Batch
from common.text.vocab import Vocabulary

from .settings import Settings


class State(NamedTuple):
    """The state of the model after some words: that of each layer, and the memory of top states h_1 ... h_t."""

    layers: list[LSTMState | None]
    memory: list[dy.Expression]


class AttentiveLM(NeuralModel, NextWords):
    """Multi-layer LSTM, attention over its past states, tied softmax.

    score: a name of `PAST_SCORES`: "single" (Eq. 9), "combined" (Eq. 10), or "none", the same model without context.
    merge_init: how W_c starts: "uniform" like every other weight, as in the paper, or "identity" on the state
    and zero on the context, so that training begins with a plain LSTM and adds attention where it lowers the loss.
    forget_bias: start of the forget gates' bias; the paper says 0, its code has 1.
    """

    settings_class = Settings
    names_in_files = {"score.v_s": "v_s", "score.W_s": "W_s", "score.W_q": "W_q"}

    def __init__(self, vocab: Vocabulary, log_frequencies: np.ndarray | None = None, **flags: Any):
        """As `NeuralModel` says."""
        settings = Settings(**flags)
        H, V, scale = settings.hidden_size, len(vocab), settings.init_scale
        self.vocab, self.dropout, self.footprint_of = vocab, settings.masks, settings.footprint
        self.name = f"attentive LM, score {settings.score}, {settings.layers} x {H}, {V} words"

        self.collection = dy.ParameterCollection()
        self.embedding = self.collection.add_parameters((V, H), init=dy.UniformInitializer(scale))
        self.layers = [LSTM(self.collection, H, H, scale, settings.forget_bias) for _ in range(settings.layers)]
        self.score = PAST_SCORES[settings.score](self.collection, H, scale)
        shape = (H, 2 * H if self.score else H)
        self.W_c = self.collection.add_parameters(shape, init=COMBINE_STARTS[settings.merge_init](shape, scale))
        self.b_c = self.collection.add_parameters(H, init=0)
        bias = np.zeros(V) if log_frequencies is None else log_frequencies
        self.b = self.collection.add_parameters(V, init=dy.NumpyInitializer(bias))

    def loss(self, batch: Batch, rng: np.random.Generator | None = None) -> dy.Expression:
        """-log P of all sentences of the batch, summed, in nats, with dropout: the training loss (Eq. 1)."""
        logits = self.logits(batch.inputs, self.dropout)
        return masked_sum(negative_log_probs(logits, batch.targets), batch.mask)

    def logits(self, inputs: np.ndarray, dropout: Dropout = NO_DROPOUT) -> dy.Expression:
        """The scores of the next word at every step: word ids (T, B) -> (V,) x T*B.

        Dropout is on what enters each layer and what enters the softmax. The memory itself holds whole states.
        """
        states = self.states(inputs, dropout)
        if not self.score:
            return self.output(states, dropout)
        c = contexts(states, self.weights(states))
        return self.output(dy.concatenate([states, c]), dropout)

    def states(self, inputs: np.ndarray, dropout: Dropout = NO_DROPOUT) -> dy.Expression:
        """h_t = RNN(x_t, h_{t-1}) through all layers (Eq. 2): word ids (T, B) -> (H, T) x B."""
        time, sentences = inputs.shape
        hidden = unfold_time(embed(self.embedding, inputs.T.ravel().tolist()), time)
        for layer in self.layers:
            hidden = layer.run(dropout(hidden), dropout.recurrent_mask(layer.hidden_size, sentences))
        return hidden

    def weights(self, states: dy.Expression) -> dy.Expression:
        """How much each step attends to the states before it (Eq. 4 to 6): (H, T) x B -> (T, T) x B, a column each."""
        scores = self.score.scores(self.score.keys(states), states)
        return causal_weights(scores, states.dim()[0][1])

    def output(self, merged: dy.Expression, dropout: Dropout = NO_DROPOUT) -> dy.Expression:
        """The argument of the softmax from h' = tanh(W_c [h; c] + b_c) (Eq. 7, 8): [h; c] of T steps -> (V,) x T*B."""
        h_prime = dy.tanh(dy.colwise_add(self.W_c * merged, self.b_c))
        return tied_logits(self.embedding, self.b, fold_time(dropout(h_prime)))

    def log_probs(self, batch: Batch) -> np.ndarray:
        """log P(target | words before it) in nats, (T, B), without dropout."""
        dy.renew_cg()
        losses = negative_log_probs(self.logits(batch.inputs), batch.targets)
        return -np.reshape(losses.npvalue(), batch.targets.shape, order="F")

    def attention(self, inputs: np.ndarray) -> np.ndarray:
        """The weights, for display: word ids (T, B) -> (T, T, B), how much of step i column t reads."""
        dy.renew_cg()
        weights = self.weights(self.states(inputs)).npvalue()
        return np.reshape(weights, (*weights.shape[:2], inputs.shape[1]))

    def start(self, batch_size: int) -> State:
        """The state before the first word. It begins a new computation graph: earlier states are void."""
        dy.renew_cg()
        return State([None] * len(self.layers), [])

    def next_words(self, state: State, words: Sequence[int]) -> tuple[State, dy.Expression]:
        """Read one word per sentence; the new state, and log P(next word), (V,) x B in nats (`NextWords`).

        One step of the equations as printed: the memory contains h_1 ... h_{t-1} when step t attends, and takes h_t
        in afterwards. The first step has nothing to attend to: its context is zero.
        """
        hidden, layers = step_through(self.layers, embed(self.embedding, list(words)), state.layers)
        query = unfold_time(hidden, 1)
        merged = dy.concatenate([query, self.context(state.memory, query)]) if self.score else query
        return State(layers, [*state.memory, hidden]), dy.log_softmax(self.output(merged))

    def context(self, memory: list[dy.Expression], query: dy.Expression) -> dy.Expression:
        """c_t from h_1 ... h_{t-1} and h_t (H, 1) x B (Eq. 3, 4): (H, 1) x B; zero while the memory is empty."""
        if not memory:
            return dy.zeros(query.dim()[0], batch_size=query.dim()[1])
        past = dy.concatenate_cols(memory)
        return contexts(past, dy.softmax(self.score.scores(self.score.keys(past), query)))
