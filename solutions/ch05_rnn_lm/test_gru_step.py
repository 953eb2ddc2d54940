"""Graders of gru_step.py."""

from types import SimpleNamespace

import dynet as dy
import numpy as np

from common.nn.recurrent import HiddenState
from solutions.checks import check, close, numbers, task
from solutions.grading.exam import parameters

W_HG = np.array([[0.5, -1.0], [0.2, 0.3], [-0.4, 0.8], [1.0, 0.6]])
W_HH = np.array([[0.7, -0.2], [-0.9, 0.35]])
PROJECTED = np.array([0.4, -0.3, 1.1, 0.2, -0.7, 0.9])
STATE = np.array([0.5, -1.25])


def sigmoid(*x):
    return 1 / (1 + np.exp(-np.array(x)))


def agrees(work, W_hg, projected, before, expected, label):
    """Compare a step with h_t."""
    collection, (W_hg, W_hh) = parameters(W_hg, W_HH)
    layer = SimpleNamespace(hidden_size=2, W_hg=W_hg, W_hh=W_hh)
    state = None if before is None else HiddenState(dy.inputVector(before))
    after = work.gru_cell(layer, dy.inputVector(projected), state)
    check(isinstance(after, HiddenState), "the result is a HiddenState(hidden)")
    close(numbers(after.hidden, (2, 1), "h_t")[:, 0], expected, f"h_t {label}", tolerance=1e-5)


@task("5.4")
def test_the_first_step(work):
    z = sigmoid(1.1, 0.2)
    expected = z * np.tanh([-0.7, 0.9])
    agrees(work, W_HG, PROJECTED, None, expected, f"without a state before it, with z = {z[0]:.3g}, {z[1]:.3g}")


@task("5.4")
def test_a_step_by_hand(work):
    r, z = sigmoid(1.9, -0.575), sigmoid(-0.1, -0.05)  # projected + W_hg h
    candidate = np.tanh([-0.7 + 0.7 * r[0] * 0.5 + 0.2 * r[1] * 1.25, 0.9 - 0.9 * r[0] * 0.5 - 0.35 * r[1] * 1.25])
    expected = (1 - z) * STATE + z * candidate
    gates = f"r = {r[0]:.3g}, {r[1]:.3g} and z = {z[0]:.3g}, {z[1]:.3g}"
    agrees(work, W_HG, PROJECTED, STATE, expected, f"after h = 0.5, -1.25, with {gates}")
