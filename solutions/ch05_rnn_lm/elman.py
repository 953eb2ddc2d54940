"""Exercise 5.2: the simple recurrent network (Elman 1990), step by step.

Letters in the shapes: I input size, H hidden size, T time steps, B sentences in the batch. (H,) x B is a batch of B
vectors in DyNet.
"""

from __future__ import annotations

from collections.abc import Sequence

import dynet as dy


def rnn_step(
    W_xh: dy.Parameters, W_hh: dy.Parameters, b_h: dy.Parameters, x: dy.Expression, h: dy.Expression | None
) -> dy.Expression:
    """h_t = tanh(W_xh x_t + W_hh h_{t-1} + b_h) (Neubig 2017, Eq. 44): (H,) x B.

    W_xh (H, I), W_hh (H, H), b_h (H,), x (I,) x B, h: the previous state, (H,) x B; None means zeros.

    With W_xh = [[2]], W_hh = [[0.5]], b_h = [0.1], x = [1] and h = [0.4], it is [tanh(2.3)]; with h = None,
    [tanh(2.1)].
    """
    # BEGIN SOLUTION 5.2
    z = W_xh * x + b_h
    return dy.tanh(z if h is None else z + W_hh * h)
    # END SOLUTION


def run(
    W_xh: dy.Parameters, W_hh: dy.Parameters, b_h: dy.Parameters, inputs: Sequence[dy.Expression]
) -> list[dy.Expression]:
    """The states h_1 ... h_T after each of the inputs x_1 ... x_T, from h_0 = 0: T expressions, each (H,) x B.

    All steps share the same weights. A state depends on the inputs up to its own step, and not on later ones.
    """
    # BEGIN SOLUTION 5.2
    states: list[dy.Expression] = []
    for x in inputs:
        states.append(rnn_step(W_xh, W_hh, b_h, x, states[-1] if states else None))
    return states
    # END SOLUTION
