"""Recurrent layers, written from their equations: what all cells share, and the LSTM; `cells` has the others.

A sequence is run through step by step, but projected all at once, and fast on whole batches. Shapes are DyNet's, as in
all of this folder: `(rows, columns) x batch`. B sentences of T steps of H numbers are `(H, T) x B`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import dynet as dy
import numpy as np


class State(Protocol):
    """What one layer remembers between two steps, each (hidden,) x batch; the layer above reads `hidden`."""

    @property
    def hidden(self) -> dy.Expression: ...

    def __iter__(self) -> Iterator[dy.Expression]: ...


class HiddenState(NamedTuple):
    """The state of a layer that remembers nothing but its hidden state: (hidden,) x batch."""

    hidden: dy.Expression


class RecurrentLayer(ABC):
    """One recurrent layer: a kind of cell gives its `W_x`, `W_h` and `b` their meaning in `cell`. block_count: how many
    vectors of the hidden size the cell computes; they lie one below the other in W_x and b."""

    block_count: int
    state_type: Any = HiddenState

    def __init__(
        self,
        collection: dy.ParameterCollection,
        input_size: int,
        hidden_size: int,
        init_scale: float,
        biases: Sequence[float] | None = None,
    ):
        """`W_x` (blocks*hidden, input) and `W_h` (blocks*hidden, hidden) start uniform. biases: what `b`
        (blocks*hidden,) starts from, a number a block; 0 unless given."""
        self.hidden_size, rows = hidden_size, self.block_count * hidden_size
        uniform = dy.UniformInitializer(init_scale)
        self.W_x = collection.add_parameters((rows, input_size), init=uniform)
        self.add_recurrent_weights(collection, uniform)
        starts = np.repeat(biases or [0.0] * self.block_count, hidden_size)
        self.b = collection.add_parameters(rows, init=dy.NumpyInitializer(starts))

    def add_recurrent_weights(self, collection: dy.ParameterCollection, uniform: dy.UniformInitializer) -> None:
        """What the previous state is multiplied with."""
        self.W_h = collection.add_parameters((self.block_count * self.hidden_size, self.hidden_size), init=uniform)

    def run(self, inputs: dy.Expression, mask: dy.Expression | None = None) -> dy.Expression:
        """All hidden states of a batch: inputs (input, time) x batch -> (hidden, time) x batch. mask: see `unroll`."""
        return dy.concatenate_cols([state.hidden for state in self.unroll(inputs, None, mask)])

    def unroll(
        self, inputs: dy.Expression, state: State | None = None, mask: dy.Expression | None = None
    ) -> list[State]:
        """The state after every step of inputs (input, time) x batch.

        state: where to start; the zero state unless given. mask: (hidden,) x batch, multiplied with every hidden
        state where the next step reads it: dropout of recurrent connections.

        The products with `W_x` do not wait for the recurrence, so one matrix product does them for all time steps.
        """
        projected, states = self.project(inputs), []
        for t in range(inputs.dim()[0][1]):
            state = self.cell(dy.pick(projected, t, dim=1), state, mask)
            states.append(state)
        return states

    def project(self, inputs: dy.Expression) -> dy.Expression:
        """W_x x_t + b of every step: inputs (input, time) x batch -> (blocks*hidden, time) x batch."""
        return dy.colwise_add(self.W_x * inputs, self.b)

    def step(self, x: dy.Expression, state: State | None) -> State:
        """One time step: x (input,) x batch. `state=None` is the zero state before the first step."""
        return self.cell(dy.affine_transform([self.b, self.W_x, x]), state)

    @abstractmethod
    def cell(self, projected: dy.Expression, state: Any, mask: dy.Expression | None = None) -> State:
        """The state after a step, by the equations of the cell, from projected = W_x x_t + b and the state before."""


def apply_mask(mask: dy.Expression | None, hidden: dy.Expression) -> dy.Expression:
    """The hidden state as the next step reads it, (hidden,) x batch: masked where there is a mask."""
    return hidden if mask is None else dy.cmult(hidden, mask)


def blocks(stacked: dy.Expression, number: int) -> list[dy.Expression]:
    """The vectors that lie one below the other in (number*H,) x batch: `number` times (H,) x batch, as columns of a
    matrix, whose backward pass costs DyNet a third of that of ranges of a vector."""
    (size,), batch = stacked.dim()
    columns = dy.reshape(stacked, (size // number, number), batch)
    return [dy.pick(columns, block, dim=1) for block in range(number)]


def affine(
    projected: dy.Expression, W_h: dy.Parameters, hidden: dy.Expression, mask: dy.Expression | None
) -> dy.Expression:
    """The arguments of the gates: projected + W_h h_{t-1}, all blocks at once, (blocks*hidden,) x batch."""
    return dy.affine_transform([projected, W_h, apply_mask(mask, hidden)])


class LSTMState(NamedTuple):
    """What one layer remembers: hidden state and memory cell, each (hidden,) x batch."""

    hidden: dy.Expression
    cell: dy.Expression


class LSTM(RecurrentLayer):
    """One layer of LSTM with a forget gate (Neubig 2017, Eq. 54 and 55, with the output of Eq. 51).

    The four blocks are the input gate, the forget gate, the output gate and the update, in this order. The forget
    gate's bias starts at `forget_bias`: at 1 the memory is kept until training finds reasons to forget.
    """

    block_count, state_type = 4, LSTMState

    def __init__(
        self,
        collection: dy.ParameterCollection,
        input_size: int,
        hidden_size: int,
        init_scale: float,
        forget_bias: float = 1.0,
    ):
        super().__init__(collection, input_size, hidden_size, init_scale, [0, forget_bias, 0, 0])

    def cell(self, projected: dy.Expression, state: LSTMState | None, mask: dy.Expression | None = None) -> LSTMState:
        """Neubig 2017, Eq. 54 and 55, from projected = W_x x_t + b, (4*hidden,) x batch."""
        z = projected if state is None else affine(projected, self.W_h, state.hidden, mask)
        z_i, z_f, z_o, z_u = blocks(z, 4)
        c = dy.cmult(dy.logistic(z_i), dy.tanh(z_u))
        if state is not None:
            c = c + dy.cmult(dy.logistic(z_f), state.cell)
        return LSTMState(dy.cmult(dy.logistic(z_o), dy.tanh(c)), c)


def step_through(
    layers: Sequence[RecurrentLayer], x: dy.Expression, states: Sequence[State | None]
) -> tuple[dy.Expression, list[Any]]:
    """One time step of layers one above the other: what the top one shows, (hidden,) x batch, and each one's state."""
    after = []
    for layer, state in zip(layers, states, strict=True):
        after.append(layer.step(x, state))
        x = after[-1].hidden
    return x, after
