"""The long short-term memory, written from its equations, fast on whole batches."""

from __future__ import annotations

from typing import NamedTuple

import dynet as dy
import numpy as np

from common.nn.blocks import blocks
from common.nn.recurrent import RecurrentLayer, read_through


class LSTMState(NamedTuple):
    """What one layer remembers: hidden state and memory cell, each (hidden,) x batch."""

    hidden: dy.Expression
    cell: dy.Expression


class LSTMWithoutForget(RecurrentLayer):
    """One layer of LSTM as it was first proposed (Neubig 2017, Eq. 47 to 51): what enters the cell stays.

    The three blocks of `W_x` (3*hidden, input), `W_h` (3*hidden, hidden) and `b` (3*hidden) are the
    input gate, the output gate and the update, in this order.
    """

    state_type = LSTMState

    def __init__(self, collection: dy.ParameterCollection, input_size: int, hidden_size: int, init_scale: float):
        self.hidden_size = hidden_size
        uniform = dy.UniformInitializer(init_scale)
        self.W_x = collection.add_parameters((3 * hidden_size, input_size), init=uniform)
        self.W_h = collection.add_parameters((3 * hidden_size, hidden_size), init=uniform)
        self.b = collection.add_parameters(3 * hidden_size, init=0)

    def cell(self, projected: dy.Expression, state: LSTMState | None, mask: dy.Expression | None = None) -> LSTMState:
        """Neubig 2017, Eq. 47 to 51, from projected = W_x x_t + b, (3*hidden,) x batch."""
        z_i, z_o, z_u = blocks(projected if state is None else affine(projected, self.W_h, state.hidden, mask), 3)
        c = dy.cmult(dy.logistic(z_i), dy.tanh(z_u))
        if state is not None:
            c = c + state.cell
        return LSTMState(dy.cmult(dy.logistic(z_o), dy.tanh(c)), c)


class LSTM(RecurrentLayer):
    """One layer of LSTM with a forget gate (Neubig 2017, Eq. 54 and 55, with the output of Eq. 51).

    The four blocks of `W_x` (4*hidden, input), `W_h` (4*hidden, hidden) and `b` (4*hidden) are the
    input gate, the forget gate, the output gate and the update, in this order. The forget gate's
    bias starts at `forget_bias`: at 1 the memory is kept until training finds reasons to forget.
    """

    state_type = LSTMState

    def __init__(
        self,
        collection: dy.ParameterCollection,
        input_size: int,
        hidden_size: int,
        init_scale: float,
        forget_bias: float = 1.0,
    ):
        self.hidden_size = hidden_size
        uniform = dy.UniformInitializer(init_scale)
        self.W_x = collection.add_parameters((4 * hidden_size, input_size), init=uniform)
        self.W_h = collection.add_parameters((4 * hidden_size, hidden_size), init=uniform)
        bias = np.zeros(4 * hidden_size)
        bias[hidden_size : 2 * hidden_size] = forget_bias
        self.b = collection.add_parameters(4 * hidden_size, init=dy.NumpyInitializer(bias))

    def cell(self, projected: dy.Expression, state: LSTMState | None, mask: dy.Expression | None = None) -> LSTMState:
        """Neubig 2017, Eq. 54 and 55, from projected = W_x x_t + b, (4*hidden,) x batch."""
        z = projected if state is None else affine(projected, self.W_h, state.hidden, mask)
        z_i, z_f, z_o, z_u = blocks(z, 4)
        c = dy.cmult(dy.logistic(z_i), dy.tanh(z_u))
        if state is not None:
            c = c + dy.cmult(dy.logistic(z_f), state.cell)
        return LSTMState(dy.cmult(dy.logistic(z_o), dy.tanh(c)), c)


def affine(
    projected: dy.Expression, W_h: dy.Parameters, hidden: dy.Expression, mask: dy.Expression | None
) -> dy.Expression:
    """What the gates see: projected + W_h h_{t-1}, all blocks at once, (blocks*hidden,) x batch."""
    return dy.affine_transform([projected, W_h, read_through(mask, hidden)])
