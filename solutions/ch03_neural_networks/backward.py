"""Exercise 3.4: back-propagation by hand.

Letters in the shapes: I inputs, H hidden size, B examples in the batch. An example is a column.
"""

from __future__ import annotations

import numpy as np


def tanh_derivative(h: np.ndarray) -> np.ndarray:
    """The derivative of tanh where its *value* is h, element by element: 1 - h^2.

    tanh_derivative(np.array([[0.0, 0.5]])) is [[1, 0.75]].
    """
    # BEGIN SOLUTION 3.4
    return 1 - h**2
    # END SOLUTION


def gradients(
    W_xh: np.ndarray, b_h: np.ndarray, w_hy: np.ndarray, b_y: np.ndarray, x: np.ndarray, targets: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The loss of a batch and its derivatives with respect to all parameters (Neubig 2017, Eq. 39 and 40):

        (loss, d loss / d W_xh, d loss / d b_h, d loss / d w_hy, d loss / d b_y)

    with h = tanh(W_xh x + b_h), y = w_hy h + b_y, loss = the sum over the batch of (y* - y)^2. Derivatives have the
    shapes of their parameters. A bias is shared by all examples, so its derivative is a sum over them.

    W_xh (H, I), b_h (H, 1), w_hy (1, H), b_y (1, 1), x (I, B), targets y* (1, B).

    With W_xh = [[0]], b_h = [[0]], w_hy = [[2]], b_y = [[0]], x = [[3]] and targets = [[1]]: h = 0, y = 0, the loss is
    1, and the derivatives are -12, -4, 0 and -2.
    """
    # BEGIN SOLUTION 3.4
    h = np.tanh(W_xh @ x + b_h)
    y = w_hy @ h + b_y
    dy = 2 * (y - targets)
    dh = (w_hy.T @ dy) * tanh_derivative(h)  # by what enters tanh
    loss = float(((targets - y) ** 2).sum())
    return loss, dh @ x.T, dh.sum(axis=1, keepdims=True), dy @ h.T, dy.sum(axis=1, keepdims=True)
    # END SOLUTION
