"""Exercises 3.2 and 3.3: the forward pass of a network with one hidden layer, and weights set by hand.

Letters in the shapes: I inputs, H hidden size, B examples in the batch. An example is a column.
"""

from __future__ import annotations

import numpy as np


def relu(x: np.ndarray) -> np.ndarray:
    """The rectified linear unit, element by element: x where x > 0, otherwise 0 (Neubig 2017, Eq. 38).

    relu(np.array([[-2.0, 0.0, 3.0]])) is [[0, 0, 3]].
    """
    # TODO 3.2: the forward pass
    raise NotImplementedError("Exercise 3.2: the forward pass")


def forward(
    W_xh: np.ndarray, b_h: np.ndarray, w_hy: np.ndarray, b_y: np.ndarray, x: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """h = tanh(W_xh x + b_h) and y = w_hy h + b_y (Neubig 2017, Eq. 34), for all examples at once: (h, y).

    W_xh (H, I), b_h (H, 1), w_hy (1, H), b_y (1, 1), x (I, B) -> h (H, B), y (1, B).

    With one unit, W_xh = [[0.5]], b_h = [[0]], w_hy = [[2]], b_y = [[1]] and x = [[0, 2]]: h is [[0, tanh(1)]] and y is
    [[1, 1 + 2 tanh(1)]].
    """
    # TODO 3.2: the forward pass
    raise NotImplementedError("Exercise 3.2: the forward pass")


def squared_error(targets: np.ndarray, y: np.ndarray) -> float:
    """The loss: the sum over the batch of (y* - y)^2 (Neubig 2017, Eq. 36). targets (1, B), y (1, B).

    squared_error(np.array([[1.0, -1.0]]), np.array([[0.0, 2.0]])) == 10
    """
    # TODO 3.2: the forward pass
    raise NotImplementedError("Exercise 3.2: the forward pass")


def equality_with_two_relu_units() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """W_xh (2, 2), b_h (2, 1), w_hy (1, 2), b_y (1, 1) of a network y = w_hy relu(W_xh x + b_h) + b_y that gives
    exactly 1 for the points (1, 1) and (-1, -1), and -1 for (1, -1) and (-1, 1).

    There are many solutions; find one by thinking. (README.md of chapter 3 has one for step functions.)
    """
    # TODO 3.3: weights by hand: equality with two ReLU units
    raise NotImplementedError("Exercise 3.3: weights by hand: equality with two ReLU units")
