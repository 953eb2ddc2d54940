"""The simple recurrent network (Elman 1990), written from its equation."""

from __future__ import annotations

import dynet as dy

from common.nn.recurrent import HiddenState, RecurrentLayer, read_through


class RNN(RecurrentLayer):
    """One layer of h_t = tanh(W_xh x_t + W_hh h_{t-1} + b_h) (Neubig 2017, Eq. 44).

    `W_x` (hidden, input), `W_h` (hidden, hidden), `b` (hidden).
    """

    def __init__(self, collection: dy.ParameterCollection, input_size: int, hidden_size: int, init_scale: float):
        self.hidden_size = hidden_size
        uniform = dy.UniformInitializer(init_scale)
        self.W_x = collection.add_parameters((hidden_size, input_size), init=uniform)
        self.W_h = collection.add_parameters((hidden_size, hidden_size), init=uniform)
        self.b = collection.add_parameters(hidden_size, init=0)

    def cell(
        self, projected: dy.Expression, state: HiddenState | None, mask: dy.Expression | None = None
    ) -> HiddenState:
        """Neubig 2017, Eq. 44, from projected = W_xh x_t + b_h, (hidden,) x batch."""
        if state is not None:
            projected = dy.affine_transform([projected, self.W_h, read_through(mask, state.hidden)])
        return HiddenState(dy.tanh(projected))
