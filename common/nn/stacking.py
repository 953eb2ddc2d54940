"""Recurrent layers on top of each other, with and without residual connections (Neubig 2017, section 6.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dynet as dy
import numpy as np

from common.nn.dropout import Dropout
from common.nn.recurrent import LSTM, RecurrentLayer, State

CELLS = {"rnn": "RNN", "lstm-no-forget": "LSTMWithoutForget", "lstm": "LSTM", "gru": "GRU"}
"""The choices of --cell: but for `recurrent.LSTM`, classes of `cells`."""


def cell_class(name: str) -> type[RecurrentLayer]:
    """The kind of layer that a choice of --cell names. Other cells than the LSTM are loaded where they are chosen."""
    if name == "lstm":
        return LSTM
    from common.nn import cells

    return getattr(cells, CELLS[name])


class Stack:
    """Layers of one kind of cell, each reading what the one below shows: h_{n,t} = RNN_n(h_{n-1,t}, h_{n,t-1}).

    cell: a name of CELLS. residual: what a layer shows is its hidden state plus what it read, so that a gradient
    finds a way past every layer. The recurrence of a layer goes through its own hidden state, without that sum.
    All sizes are `size`, but for what the first layer reads, of `input_size` where that is given: it is not added then.
    """

    def __init__(
        self,
        collection: dy.ParameterCollection,
        cell: str,
        size: int,
        layers: int,
        init_scale: float,
        residual: bool = False,
        input_size: int | None = None,
    ):
        sizes = [input_size or size] + [size] * (layers - 1)
        self.layers = [cell_class(cell)(collection, read, size, init_scale) for read in sizes]
        self.residual = [residual and read == size for read in sizes]

    @property
    def first_states(self) -> list[State | None]:
        """The states before the first step: None is the zero state."""
        return [None] * len(self.layers)

    def run(
        self,
        inputs: dy.Expression,
        states: Sequence[State | None] | None = None,
        dropout: Dropout | None = None,
        lengths: np.ndarray | None = None,
    ) -> tuple[dy.Expression, list[State]]:
        """What the top layer shows, (H, T) x B, and each layer's state after the last step; inputs (H, T) x B.

        states: one per layer, to start from; `first_states` unless given. dropout: on what enters each layer. lengths:
        steps of each sequence, (B,), where they are padded behind; its last step is then its own, not the longest's.
        """
        dropout, last = dropout or Dropout(), []
        for layer, residual, state in zip(self.layers, self.residual, states or self.first_states, strict=True):
            mask = dropout.recurrent_mask(layer.hidden_size, inputs.dim()[1])
            through_time = layer.unroll(dropout(inputs), state, mask)
            last.append(through_time[-1] if lengths is None else state_after(through_time, lengths))
            hidden = dy.concatenate_cols([state.hidden for state in through_time])
            inputs = hidden + inputs if residual else hidden
        return inputs, last

    def step(self, x: dy.Expression, states: Sequence[State | None]) -> tuple[dy.Expression, list[Any]]:
        """One time step: what the top layer shows, (H,) x B, and each layer's new state; x (H,) x B."""
        after = []
        for layer, residual, state in zip(self.layers, self.residual, states, strict=True):
            after.append(layer.step(x, state))
            x = after[-1].hidden + x if residual else after[-1].hidden
        return x, after


def state_after(states: Sequence[State], lengths: np.ndarray) -> State:
    """The state of each sequence of a batch after its own number of steps (B,), of the states after every step."""
    if (lengths == len(states)).all():
        return states[-1]
    steps = (lengths - 1).tolist()
    parts = zip(*states, strict=True)
    return type(states[0])(*(dy.pick_batch(dy.concatenate_cols(list(part)), steps, dim=1) for part in parts))
