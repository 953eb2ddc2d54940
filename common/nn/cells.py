"""Other recurrent cells than the LSTM of `recurrent`: the simple network, the LSTM without a forget gate, the GRU."""

from __future__ import annotations

import dynet as dy

from common.nn.recurrent import HiddenState, LSTMState, RecurrentLayer, affine, apply_mask, blocks


class RNN(RecurrentLayer):
    """One layer of h_t = tanh(W_xh x_t + W_hh h_{t-1} + b_h) (Neubig 2017, Eq. 44).

    `W_x` (hidden, input), `W_h` (hidden, hidden), `b` (hidden).
    """

    block_count = 1

    def cell(
        self, projected: dy.Expression, state: HiddenState | None, mask: dy.Expression | None = None
    ) -> HiddenState:
        """Neubig 2017, Eq. 44, from projected = W_xh x_t + b_h, (hidden,) x batch."""
        if state is not None:
            projected = affine(projected, self.W_h, state.hidden, mask)
        return HiddenState(dy.tanh(projected))


class LSTMWithoutForget(RecurrentLayer):
    """One layer of LSTM as it was first proposed (Neubig 2017, Eq. 47 to 51): what enters the cell stays.

    The three blocks of `W_x` (3*hidden, input), `W_h` (3*hidden, hidden) and `b` (3*hidden) are the
    input gate, the output gate and the update, in this order.
    """

    block_count, state_type = 3, LSTMState

    def cell(self, projected: dy.Expression, state: LSTMState | None, mask: dy.Expression | None = None) -> LSTMState:
        """Neubig 2017, Eq. 47 to 51, from projected = W_x x_t + b, (3*hidden,) x batch."""
        z_i, z_o, z_u = blocks(projected if state is None else affine(projected, self.W_h, state.hidden, mask), 3)
        c = dy.cmult(dy.logistic(z_i), dy.tanh(z_u))
        if state is not None:
            c = c + state.cell
        return LSTMState(dy.cmult(dy.logistic(z_o), dy.tanh(c)), c)


class GRU(RecurrentLayer):
    """One layer of gated recurrent units (Neubig 2017, Eq. 56 to 59).

    The three blocks of `W_x` (3*hidden, input) and `b` (3*hidden) are the reset gate, the update gate and the
    candidate, in this order. The gates read the previous state through `W_hg` (2*hidden, hidden), the candidate
    through `W_hh` (hidden, hidden).
    """

    block_count = 3

    def add_recurrent_weights(self, collection: dy.ParameterCollection, uniform: dy.UniformInitializer) -> None:
        self.W_hg = collection.add_parameters((2 * self.hidden_size, self.hidden_size), init=uniform)
        self.W_hh = collection.add_parameters((self.hidden_size, self.hidden_size), init=uniform)

    def cell(
        self, projected: dy.Expression, state: HiddenState | None, mask: dy.Expression | None = None
    ) -> HiddenState:
        """Neubig 2017, Eq. 56 to 59, from projected = W_x x_t + b, (3*hidden,) x batch."""
        H = self.hidden_size
        gates, candidate = dy.pick_range(projected, 0, 2 * H), dy.pick_range(projected, 2 * H, 3 * H)
        if state is None:
            _, z = blocks(gates, 2)
            return HiddenState(dy.cmult(dy.logistic(z), dy.tanh(candidate)))
        h = apply_mask(mask, state.hidden)
        r, z = blocks(dy.logistic(dy.affine_transform([gates, self.W_hg, h])), 2)
        candidate = dy.tanh(dy.affine_transform([candidate, self.W_hh, dy.cmult(r, h)]))
        # Eq. 59, (1 - z) h + z candidate, with one product less. What is kept is kept whole: a mask is for reading.
        return HiddenState(state.hidden + dy.cmult(z, candidate - state.hidden))
