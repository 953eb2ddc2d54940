"""A memory of the last N states, those of earlier sentences included.

The text is read in streams (`common.text.streams`): a piece of T steps goes on where the piece before it stopped, with
its states and its memory as numbers, so that no gradient goes back into an earlier piece.

Letters in the shapes: M states that a piece begins with, at most N; T its steps; H, B as in model.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.nn.arrays import detach, input_batch
from common.nn.dropout import NO_DROPOUT, Dropout
from common.nn.recurrent import State
from common.nn.softmax import FORBIDDEN, embed, masked_sum, negative_log_probs, unfold_time
from common.text.batching import Batch
from common.text.vocab import Vocabulary

from .parts import PartsLM
from .settings import Settings


class Carried(NamedTuple):
    """What a piece of a text hands to the next, as numbers: each layer's last state, and the memory, (H, M, B)."""

    layers: list[list[np.ndarray]]
    memory: np.ndarray


def window(past: int, time: int, states: int) -> np.ndarray:
    """Which states each step may attend to: (M + T, T) of 0 and 1, a column a step, the last `states` before it."""
    position = np.arange(past, past + time)
    attended = np.arange(past + time)[:, None]
    return ((attended < position) & (attended >= position - states)).astype(float)


class MemoryLM(PartsLM):
    """The attentive model that attends to the last N states, of this sentence and of earlier ones.

    A sentence that is read alone begins with an empty memory, as in the model of the chapter.
    """

    def __init__(self, vocab: Vocabulary, log_frequencies: np.ndarray | None = None, **flags: Any):
        """As `NeuralModel` says."""
        super().__init__(vocab, log_frequencies, **flags)
        settings = Settings(**flags)
        self.memory_states, self.steps = settings.memory_states, settings.bptt
        self.name = f"{self.name}, a memory of {settings.memory_states} states"

    def loss_from(self, batch: Batch, carried: Carried | None) -> tuple[dy.Expression, Carried]:
        """-log P of the batch, summed, in nats, with dropout, and what the next one goes on from.

        carried: `None` where the text begins.
        """
        losses, carried = self.losses(batch, carried, self.dropout)
        return masked_sum(losses, batch.mask), carried

    def log_probs_from(self, batch: Batch, carried: Carried | None) -> tuple[np.ndarray, Carried]:
        """log P(target | words before it) in nats, (T, B), without dropout, and what the next batch goes on from."""
        dy.renew_cg()
        losses, carried = self.losses(batch, carried)
        return -np.reshape(losses.npvalue(), batch.targets.shape, order="F"), carried

    def log_probs(self, batch: Batch) -> np.ndarray:
        """The same of sentences, read in pieces, so that a long one takes no more memory than its pieces."""
        carried, parts = None, []
        for start in range(0, len(batch.inputs), self.steps):
            inputs, targets, mask = (array[start : start + self.steps] for array in batch[:3])
            piece = Batch(inputs, targets, mask, batch.indices)
            log_probs, carried = self.log_probs_from(piece, carried)
            parts.append(log_probs)
        return np.concatenate(parts)

    def losses(
        self,
        batch: Batch,
        carried: Carried | None,
        dropout: Dropout = NO_DROPOUT,
    ) -> tuple[dy.Expression, Carried]:
        """-log P(target) of every prediction, (1,) x T*B, and what to go on from."""
        states, last = self.states_from(batch.inputs, carried, dropout)
        past = None if carried is None else input_batch(carried.memory)
        logits = self.output(self.merged(states, past), dropout)
        losses = negative_log_probs(logits, batch.targets)
        return losses, Carried(detach(last), self.remembered(states, carried))

    def states_from(
        self, inputs: np.ndarray, carried: Carried | None, dropout: Dropout = NO_DROPOUT
    ) -> tuple[dy.Expression, list[State]]:
        """h_t of the top layer for every word of a piece, (H, T) x B, and each layer's last state: ids (T, B)."""
        hidden, last = unfold_time(embed(self.embedding, inputs.T.ravel().tolist()), len(inputs)), []
        for number, layer in enumerate(self.layers):
            before = None if carried is None else layer.state_type(*map(input_batch, carried.layers[number]))
            mask = dropout.recurrent_mask(layer.hidden_size, inputs.shape[1])
            through_time = layer.unroll(dropout(hidden), before, mask)
            hidden = dy.concatenate_cols([state.hidden for state in through_time])
            last.append(through_time[-1])
        return hidden, last

    def remembered(self, states: dy.Expression, carried: Carried | None) -> np.ndarray:
        """The memory after a piece: the last N of its states and of those before it, (H, M, B)."""
        (size, time), batch = states.dim()
        new = (
            dy.pick_range(states, max(0, time - self.memory_states), time, 1)
            .npvalue()
            .reshape(size, -1, batch, order="F")
        )
        old = [] if carried is None else [carried.memory]
        return np.concatenate([*old, new], axis=1)[:, -self.memory_states :]

    def weights(self, states: dy.Expression, past: dy.Expression | None = None) -> dy.Expression:
        """How much every step attends to the last N states before it: (M + T, T) x B, a column a step."""
        (_, time), _ = states.dim()
        attended = states if past is None else dy.concatenate_cols([past, states])
        allowed = window(attended.dim()[0][1] - time, time, self.memory_states)
        weights = dy.softmax(dy.inputTensor((1 - allowed) * FORBIDDEN) + self.scores(attended, states))
        return dy.cmult(weights, dy.inputTensor(allowed))

    def context(self, memory: list[dy.Expression], query: dy.Expression) -> dy.Expression:
        """The mean of the values of the last N states in the memory: (C, 1) x B; zero while it is empty."""
        return super().context(memory[-self.memory_states :], query)
