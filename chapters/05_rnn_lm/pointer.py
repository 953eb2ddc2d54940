"""A recurrent language model that may also point: the pointer sentinel mixture (Merity et al. 2017).

Letters in the shapes: H hidden size, T time steps, B sentences in the batch, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from common.nn.dropout import Dropout
from common.nn.recurrent import State
from common.nn.softmax import FORBIDDEN, as_rows, embed
from common.text.batching import Batch
from common.text.vocab import Vocabulary

from .model import RecurrentLM
from .settings import Settings


class PointerState(NamedTuple):
    """The state of each layer, and what can be pointed at: words read, each (B,), and the states after them."""

    layers: Sequence[State | None]
    words: list[np.ndarray]
    memory: list[dy.Expression]


class PointerLM(RecurrentLM):
    """p(w) = g p_softmax(w) + the sum of a_i over the positions i <= t where x_i = w.

    A query q_t = tanh(W_q h_t + b_q) meets the states h_1 ... h_t of the words read so far and a learned vector, the
    sentinel s. One softmax over all q.h_i and q.s gives the weights a_i, and g to the sentinel: what the pointer does
    not claim is left to the softmax over the vocabulary. Nothing points at `<s>`.
    """

    def __init__(self, vocab: Vocabulary, log_frequencies: np.ndarray | None = None, **flags: Any):
        """As `NeuralModel` says."""
        super().__init__(vocab, log_frequencies, **flags)
        self.name = f"pointer sentinel, {self.name}"
        H = self.embedding.shape()[1]
        uniform = dy.UniformInitializer(Settings(**flags).init_scale)
        self.W_q = self.collection.add_parameters((H, H), init=uniform)
        self.b_q = self.collection.add_parameters(H, init=0)
        self.s = self.collection.add_parameters((1, H), init=uniform)

    def losses(self, hidden: dy.Expression, batch: Batch, dropout: Dropout) -> dy.Expression:
        """-log p(target) of every prediction: (H, T) x B -> (1,) x T*B.

        There are T + 1 ways to say a word, each position that holds it and the softmax; their probabilities are added
        as logarithms.
        """
        time, sentences = batch.inputs.shape
        by_softmax = dy.reshape(super().losses(hidden, batch, dropout), (1, time), sentences) * -1
        elsewhere = np.where(batch.inputs[:, None] == batch.targets[None], 0, FORBIDDEN)  # (T, T, B)
        ways = self.log_weights(hidden) + dy.concatenate([input_batch(elsewhere), by_softmax])
        return dy.reshape(dy.logsumexp_dim(ways, 0), (1,), time * sentences) * -1

    def log_weights(self, hidden: dy.Expression) -> dy.Expression:
        """log a_i of every step, a column a step, and log g in the last row: (H, T) x B -> (T + 1, T) x B."""
        (_, time), _ = hidden.dim()
        allowed = np.triu(np.ones((time, time)))  # row i, column t: i <= t
        allowed[0] = 0  # <s>
        queries = self.queries(hidden)
        scores = dy.transpose(hidden) * queries + dy.inputTensor((1 - allowed) * FORBIDDEN)
        return dy.log_softmax(dy.concatenate([scores, self.s * queries]))

    def queries(self, hidden: dy.Expression) -> dy.Expression:
        """q_t = tanh(W_q h_t + b_q): (H, T) x B -> (H, T) x B."""
        return dy.tanh(dy.colwise_add(self.W_q * hidden, self.b_q))

    def start(self, batch_size: int) -> PointerState:  # type: ignore[override]
        """The state before the first word. It begins a new computation graph: earlier states are void."""
        return PointerState(super().start(batch_size), [], [])

    def next_words(  # type: ignore[override]
        self, state: PointerState, words: Sequence[int]
    ) -> tuple[PointerState, np.ndarray]:
        """Read one word per sentence; the new state, and log P(next word), (B, V) in nats."""
        first = state.layers == self.stack.first_states
        hidden, layers = self.stack.step(embed(self.embedding, list(words)), state.layers)
        if not first:  # the first word read is <s>
            state = state._replace(words=[*state.words, np.array(words)], memory=[*state.memory, hidden])
        query = self.queries(dy.reshape(hidden, (hidden.dim()[0][0], 1), len(words)))
        scores = [dy.transpose(dy.concatenate_cols(state.memory)) * query] if state.memory else []
        weights = dy.softmax(dy.concatenate([*scores, self.s * query]))
        probs = as_rows(dy.softmax(self.logits(hidden)))
        weights = weights.npvalue().reshape(-1, len(words), order="F")
        probs = probs * weights[-1][:, None]
        for pointed, weight in zip(state.words, weights, strict=False):
            probs[np.arange(len(words)), pointed] += weight
        with np.errstate(divide="ignore"):  # a word without any probability
            return state._replace(layers=layers), np.log(probs)
