"""The ways that `tools.gains` measures the course's against: the first that come to mind, a few lines each.

A naive way is the course's but for the one thing that it is named for. It computes the same, and a test shows it.
Letters in the shapes: H hidden size, T time steps, B sentences in the batch.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import dynet as dy
import numpy as np

from common.nn.attention import contexts
from common.nn.dropout import Dropout, drop
from common.nn.recurrent import LSTM, LSTMState
from common.nn.softmax import embed, masked_sum, negative_log_probs, unfold_time
from common.text.batching import Batch, make_batch

AttentiveLM = importlib.import_module("chapters.06_attentive_lm.model").AttentiveLM

INIT_SCALE = 0.05


class OutputByStep(AttentiveLM):
    """What is above the states is computed for one time step after the other."""

    def loss(self, batch: Batch) -> dy.Expression:
        states = self.states(batch.inputs, self.dropout)
        merged = dy.concatenate([states, contexts(states, self.weights(states))])
        losses = []
        for t in range(len(batch.inputs)):
            logits = self.output(dy.pick_range(merged, t, t + 1, 1), self.dropout)
            losses.append(masked_sum(negative_log_probs(logits, batch.targets[[t]]), batch.mask[[t]]))
        return dy.esum(losses)


class AttentionByStep(AttentiveLM):
    """Each step looks back by itself: scores, softmax and context of the states before it, as the equations stand."""

    def logits(self, states: dy.Expression, dropout: float = 0.0) -> dy.Expression:
        columns = [dy.pick_range(states, t, t + 1, 1) for t in range(states.dim()[0][1])]
        seen = [self.context(columns[:t], query) for t, query in enumerate(columns)]
        return self.output(dy.concatenate([states, dy.concatenate_cols(seen)]), dropout)


class InputByStep(LSTM):
    """W_x x_t is computed in the loop, where it is needed."""

    def run(self, inputs: dy.Expression) -> dy.Expression:
        """(input, T) x B -> (H, T) x B."""
        states: list[LSTMState | None] = [None]
        for t in range(inputs.dim()[0][1]):
            states.append(self.step(dy.pick(inputs, t, dim=1), states[-1]))
        return dy.concatenate_cols([state.hidden for state in states[1:]])


class GateByGate(LSTM):
    """Every gate, and the update, has its own matrices: the four blocks of W_x, W_h and b, cut out once a batch."""

    def run(self, inputs: dy.Expression) -> dy.Expression:
        """(input, T) x B -> (H, T) x B."""
        W_x, W_h, b = (self.blocks(parameter) for parameter in (self.W_x, self.W_h, self.b))
        projected = [dy.colwise_add(W * inputs, bias) for W, bias in zip(W_x, b, strict=True)]
        hidden, c, shown = None, None, []
        for t in range(inputs.dim()[0][1]):
            z = [dy.pick(part, t, dim=1) for part in projected]
            if hidden is not None:
                z = [dy.affine_transform([part, W, hidden]) for part, W in zip(z, W_h, strict=True)]
            i, f, o, u = dy.logistic(z[0]), dy.logistic(z[1]), dy.logistic(z[2]), dy.tanh(z[3])
            c = dy.cmult(i, u) if c is None else dy.cmult(i, u) + dy.cmult(f, c)
            hidden = dy.cmult(o, dy.tanh(c))
            shown.append(hidden)
        return dy.concatenate_cols(shown)

    def blocks(self, parameter: dy.Parameters) -> list[dy.Expression]:
        """The rows of the input gate, the forget gate, the output gate and the update."""
        H = self.hidden_size
        return [dy.pick_range(parameter, block * H, (block + 1) * H) for block in range(4)]


class MaskAStep(Dropout):
    """Between layers a new mask every step; on the recurrent connections still one for all steps."""

    def __call__(self, sequence: dy.Expression) -> dy.Expression:
        """(H, T) x B -> (H, T) x B."""
        return drop(sequence, self.rate)


class DenseReader:
    """Reads sentences as an encoder does, with one LSTM layer. Its embedding is a matrix: an update visits every row.

    There is no softmax over its words, whose gradient would be for all of them in any case.
    """

    def __init__(self, vocabulary: int, hidden_size: int):
        self.collection = dy.ParameterCollection()
        self.embedding = self.add_embedding((vocabulary, hidden_size), dy.UniformInitializer(INIT_SCALE))
        self.layer = LSTM(self.collection, hidden_size, hidden_size, INIT_SCALE)

    def add_embedding(self, shape: tuple[int, int], init: dy.PyInitializer) -> Any:
        return self.collection.add_parameters(shape, init=init)

    def embedded(self, words: list[int]) -> dy.Expression:
        """(H,) x words."""
        return embed(self.embedding, words)

    def loss(self, batch: Batch) -> dy.Expression:
        """Half the squared length of the last state, summed over the batch: something to take a gradient of."""
        words = unfold_time(self.embedded(batch.inputs.T.ravel().tolist()), len(batch.inputs))
        return dy.sum_batches(dy.squared_norm(self.layer.unroll(words)[-1].hidden)) * 0.5


class SparseReader(DenseReader):
    """The same with a lookup table: an update visits the rows of the batch's words."""

    def add_embedding(self, shape: tuple[int, int], init: dy.PyInitializer) -> Any:
        return self.collection.add_lookup_parameters(shape, init=init)

    def embedded(self, words: list[int]) -> dy.Expression:
        return dy.lookup_batch(self.embedding, words)


def sentences_of(batch: Batch) -> list[list[int]]:
    """The word ids of each sentence, without `<s>` and padding."""
    lengths = batch.mask.sum(axis=0).astype(int)
    return [column[1:length].tolist() for column, length in zip(batch.inputs.T, lengths, strict=True)]


def in_random_order(batches: Sequence[Batch], rng: np.random.Generator) -> list[Batch]:
    """The same sentences in as many batches, as chance puts them together."""
    sentences = [sentence for batch in batches for sentence in sentences_of(batch)]
    return [make_batch(sentences, part) for part in np.split(rng.permutation(len(sentences)), len(batches))]
