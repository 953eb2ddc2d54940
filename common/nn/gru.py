"""The gated recurrent unit (Cho et al. 2014), written from its equations."""

from __future__ import annotations

import dynet as dy

from common.nn.blocks import blocks
from common.nn.recurrent import HiddenState, RecurrentLayer, read_through


class GRU(RecurrentLayer):
    """One layer of gated recurrent units (Neubig 2017, Eq. 56 to 59).

    The three blocks of `W_x` (3*hidden, input) and `b` (3*hidden) are the reset gate, the update gate and the
    candidate, in this order. The gates read the previous state through `W_hg` (2*hidden, hidden), the candidate
    through `W_hh` (hidden, hidden).
    """

    def __init__(self, collection: dy.ParameterCollection, input_size: int, hidden_size: int, init_scale: float):
        self.hidden_size = hidden_size
        uniform = dy.UniformInitializer(init_scale)
        self.W_x = collection.add_parameters((3 * hidden_size, input_size), init=uniform)
        self.W_hg = collection.add_parameters((2 * hidden_size, hidden_size), init=uniform)
        self.W_hh = collection.add_parameters((hidden_size, hidden_size), init=uniform)
        self.b = collection.add_parameters(3 * hidden_size, init=0)

    def cell(
        self, projected: dy.Expression, state: HiddenState | None, mask: dy.Expression | None = None
    ) -> HiddenState:
        """Neubig 2017, Eq. 56 to 59, from projected = W_x x_t + b, (3*hidden,) x batch."""
        H = self.hidden_size
        gates, candidate = dy.pick_range(projected, 0, 2 * H), dy.pick_range(projected, 2 * H, 3 * H)
        if state is None:
            _, z = blocks(gates, 2)
            return HiddenState(dy.cmult(dy.logistic(z), dy.tanh(candidate)))
        h = read_through(mask, state.hidden)
        r, z = blocks(dy.logistic(dy.affine_transform([gates, self.W_hg, h])), 2)
        candidate = dy.tanh(dy.affine_transform([candidate, self.W_hh, dy.cmult(r, h)]))
        # Eq. 59, (1 - z) h + z candidate, with one product less. What is kept is kept whole: a mask is for reading.
        return HiddenState(state.hidden + dy.cmult(z, candidate - state.hidden))
