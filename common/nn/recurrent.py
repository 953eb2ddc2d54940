"""What all recurrent layers share: a sequence is run through step by step, but projected all at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, Protocol

import dynet as dy


class State(Protocol):
    """What one layer remembers between two steps; a cell may remember more than what it shows."""

    hidden: dy.Expression

    def __iter__(self):
        """All that is remembered, each (hidden,) x batch."""
        ...


class HiddenState(NamedTuple):
    """The state of a layer that remembers nothing but what it shows: (hidden,) x batch."""

    hidden: dy.Expression


class RecurrentLayer(ABC):
    """One recurrent layer with `W_x` and `b`, which a kind of cell gives their meaning in `cell`."""

    hidden_size: int
    W_x: dy.Parameters
    b: dy.Parameters
    state_type: type = HiddenState

    def run(self, inputs: dy.Expression) -> dy.Expression:
        """All hidden states of a batch: inputs (input, time) x batch -> (hidden, time) x batch."""
        return dy.concatenate_cols([state.hidden for state in self.unroll(inputs)])

    def unroll(
        self, inputs: dy.Expression, state: State | None = None, mask: dy.Expression | None = None
    ) -> list[State]:
        """The state after every step of inputs (input, time) x batch.

        state: where to start; the zero state unless given. mask: (hidden,) x batch, multiplied with every hidden
        state where the next step reads it: dropout of recurrent connections.

        The products with `W_x` do not wait for the recurrence, so one matrix product does them for
        all time steps; only the product with the previous state is left to the loop.
        """
        (_, time), _ = inputs.dim()
        projected, states = self.project(inputs), []
        for t in range(time):
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
    def cell(self, projected: dy.Expression, state: State | None, mask: dy.Expression | None = None) -> State:
        """The state after a step, by the equations of the cell, from projected = W_x x_t + b and the state before."""


def read_through(mask: dy.Expression | None, hidden: dy.Expression) -> dy.Expression:
    """The hidden state as the next step sees it, (hidden,) x batch: masked where there is a mask."""
    return hidden if mask is None else dy.cmult(hidden, mask)
