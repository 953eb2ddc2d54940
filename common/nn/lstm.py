"""The long short-term memory, written from its equations, fast on whole batches."""

from __future__ import annotations

from typing import NamedTuple

import dynet as dy
import numpy as np


class LSTMState(NamedTuple):
    """What one layer remembers: hidden state and memory cell, each (hidden,) x batch."""

    hidden: dy.Expression
    cell: dy.Expression


class LSTM:
    """One layer of LSTM with a forget gate (Neubig 2017, Eq. 54 and 55, with the output of Eq. 51).

    The four blocks of `W_x` (4*hidden, input), `W_h` (4*hidden, hidden) and `b` (4*hidden) are the
    input gate, the forget gate, the output gate and the update, in this order. The forget gate's
    bias starts at 1, so that the memory is kept until training finds reasons to forget.
    """

    def __init__(self, collection: dy.ParameterCollection, input_size: int, hidden_size: int, init_scale: float):
        self.hidden_size = hidden_size
        uniform = dy.UniformInitializer(init_scale)
        self.W_x = collection.add_parameters((4 * hidden_size, input_size), init=uniform)
        self.W_h = collection.add_parameters((4 * hidden_size, hidden_size), init=uniform)
        bias = np.zeros(4 * hidden_size)
        bias[hidden_size : 2 * hidden_size] = 1.0
        self.b = collection.add_parameters(4 * hidden_size, init=dy.NumpyInitializer(bias))

    def run(self, inputs: dy.Expression) -> dy.Expression:
        """All hidden states of a batch: inputs (input, time) x batch -> (hidden, time) x batch.

        The products with `W_x` do not wait for the recurrence, so one matrix product does them for
        all time steps; only `W_h` times the previous state is left to the loop.
        """
        (_, time), _ = inputs.dim()
        projected = dy.colwise_add(self.W_x * inputs, self.b)
        state, hidden_states = None, []
        for t in range(time):
            state = self._cell(dy.pick(projected, t, dim=1), state)
            hidden_states.append(state.hidden)
        return dy.concatenate_cols(hidden_states)

    def step(self, x: dy.Expression, state: LSTMState | None) -> LSTMState:
        """One time step: x (input,) x batch. `state=None` is the zero state before the first step."""
        return self._cell(dy.affine_transform([self.b, self.W_x, x]), state)

    def _cell(self, projected: dy.Expression, state: LSTMState | None) -> LSTMState:
        """Neubig 2017, Eq. 54 and 55, from projected = W_x x_t + b, (4*hidden,) x batch."""
        H = self.hidden_size
        z = projected if state is None else dy.affine_transform([projected, self.W_h, state.hidden])
        u = dy.tanh(dy.pick_range(z, 3 * H, 4 * H))
        i = dy.logistic(dy.pick_range(z, 0, H))
        o = dy.logistic(dy.pick_range(z, 2 * H, 3 * H))
        c = dy.cmult(i, u)
        if state is not None:
            f = dy.logistic(dy.pick_range(z, H, 2 * H))
            c = c + dy.cmult(f, state.cell)
        return LSTMState(dy.cmult(o, dy.tanh(c)), c)
