"""Exercise 5.3: one step of the long short-term memory.

Letters in the shapes: H hidden size, B sentences in the batch. (H,) x B is a batch of B vectors in DyNet.
"""

from __future__ import annotations

import dynet as dy

from common.nn.recurrent import LSTM, LSTMState


def lstm_cell(
    layer: LSTM, projected: dy.Expression, state: LSTMState | None, mask: dy.Expression | None = None
) -> LSTMState:
    """The state after one step of an LSTM with a forget gate (Neubig 2017, Eq. 47 to 51, 54 and 55):

        i_t = sigmoid(W_xi x_t + W_hi h_{t-1} + b_i)        f_t = sigmoid(W_xf x_t + W_hf h_{t-1} + b_f)
        o_t = sigmoid(W_xo x_t + W_ho h_{t-1} + b_o)        u_t = tanh(W_xu x_t + W_hu h_{t-1} + b_u)
        c_t = i_t * u_t + f_t * c_{t-1}                     h_t = o_t * tanh(c_t)        (* element by element)

    The four blocks i, f, o, u are stacked in this order: projected, (4H,) x B, is W_x x_t + b of all four (already
    computed, for all steps of a sentence at once), and layer.W_h, (4H, H), is the matrix W_h of all four.
    layer.hidden_size is H. No other attribute of the layer is needed.

    state: LSTMState(hidden, cell), h_{t-1} and c_{t-1}, each (H,) x B; None means zeros. mask: None, or (H,) x B
    for dropout of the recurrent connection: the products with W_h then use mask * h_{t-1}; the cell is not masked.

    Useful: dy.pick_range(expression, start, end), dy.logistic, dy.cmult.

    With H = 1, W_h = [[0], [0], [0], [0]], projected = [0, 0, 0, 0] and c_{t-1} = [4], c_t is [2] and h_t is
    [0.5 tanh(2)].
    """
    # BEGIN SOLUTION 5.3
    H, z = layer.hidden_size, projected
    if state is not None:
        h = state.hidden if mask is None else dy.cmult(state.hidden, mask)
        z = z + layer.W_h * h
    i = dy.logistic(dy.pick_range(z, 0, H))
    f = dy.logistic(dy.pick_range(z, H, 2 * H))
    o = dy.logistic(dy.pick_range(z, 2 * H, 3 * H))
    u = dy.tanh(dy.pick_range(z, 3 * H, 4 * H))
    c = dy.cmult(i, u)
    if state is not None:
        c = c + dy.cmult(f, state.cell)
    return LSTMState(dy.cmult(o, dy.tanh(c)), c)
    # END SOLUTION
