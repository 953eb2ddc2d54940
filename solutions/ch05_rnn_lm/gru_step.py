"""Exercise 5.4: one step of the gated recurrent unit.

Letters in the shapes: H hidden size, B sentences in the batch. (H,) x B is a batch of B vectors in DyNet.
"""

from __future__ import annotations

import dynet as dy

from common.nn.cells import GRU
from common.nn.recurrent import HiddenState


def gru_cell(
    layer: GRU, projected: dy.Expression, state: HiddenState | None, mask: dy.Expression | None = None
) -> HiddenState:
    """The state after one step of a layer of gated recurrent units (Neubig 2017, Eq. 56 to 59):

        r_t = sigmoid(W_xr x_t + W_hr h_{t-1} + b_r)        z_t = sigmoid(W_xz x_t + W_hz h_{t-1} + b_z)
        h~_t = tanh(W_xh x_t + W_hh (r_t * h_{t-1}) + b_h)
        h_t = (1 - z_t) * h_{t-1} + z_t * h~_t                                           (* element by element)

    The three blocks r, z, h~ are stacked in this order: projected, (3H,) x B, is W_x x_t + b of all three. layer.W_hg,
    (2H, H), is the matrix W_h of the two gates; layer.W_hh, (H, H), is that of the candidate h~. layer.hidden_size is
    H. No other attribute of the layer is needed.

    state: HiddenState(hidden), h_{t-1}, (H,) x B; None means zeros. mask: None, or (H,) x B for dropout of the
    recurrent connection: all products with W_hg and W_hh then use mask * h_{t-1}; the product of 1 - z_t and h_{t-1} is
    not masked.

    Useful: dy.pick_range(expression, start, end), dy.logistic, dy.cmult. DyNet accepts -z + 1, but not 1 - z.

    With H = 1, W_hg and W_hh zero, projected = [0, 0, 0] and h_{t-1} = [4], h_t is [2].
    """
    # BEGIN SOLUTION 5.4
    H = layer.hidden_size
    gates, candidate = dy.pick_range(projected, 0, 2 * H), dy.pick_range(projected, 2 * H, 3 * H)
    if state is None:
        return HiddenState(dy.cmult(dy.logistic(dy.pick_range(gates, H, 2 * H)), dy.tanh(candidate)))
    h = state.hidden if mask is None else dy.cmult(state.hidden, mask)
    gates = dy.logistic(gates + layer.W_hg * h)
    r, z = dy.pick_range(gates, 0, H), dy.pick_range(gates, H, 2 * H)
    candidate = dy.tanh(candidate + layer.W_hh * dy.cmult(r, h))
    return HiddenState(dy.cmult(-z + 1, state.hidden) + dy.cmult(z, candidate))
    # END SOLUTION
