"""Graders of backward.py."""

import numpy as np

from solutions.checks import close, task


@task("3.4")
def test_the_derivative_of_tanh(work):
    x = np.array([[-1.5, 0.0, 0.3], [0.9, 2.0, -0.2]])
    measured = (np.tanh(x + 1e-6) - np.tanh(x - 1e-6)) / 2e-6
    message = "the derivative of tanh from its value h, not from what entered it"
    close(work.tanh_derivative(np.tanh(x)), measured, message)


@task("3.4")
def test_one_unit_by_hand(work):
    loss, *derivatives = work.gradients(*(np.array([[value]]) for value in (0.0, 0.0, 2.0, 0.5, 3.0, 1.0)))
    close(loss, 0.25, "the loss where h = 0, y = 0.5 and y* = 1")
    names = ("W_xh", "b_h", "w_hy", "b_y")
    for name, derivative, expected in zip(names, derivatives, (-6.0, -2.0, 0.0, -1.0), strict=True):
        close(derivative, np.array([[expected]]), f"d loss / d {name} where h = 0, w_hy = 2, y = 0.5, y* = 1, x = 3")
