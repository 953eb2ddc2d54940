"""Graders of lstm_step.py."""

from types import SimpleNamespace

import dynet as dy
import numpy as np

from common.nn.recurrent import LSTMState
from solutions.checks import check, close, numbers, task
from solutions.grading.exam import parameters

W_H = np.array([[0.5, -1.0], [0.2, 0.3], [-0.4, 0.8], [1.0, 0.6], [0.7, -0.2], [-0.9, 0.1], [0.35, 1.2], [-0.6, 0.45]])
Z = np.array([0.4, -0.3, 1.1, 0.2, -0.7, 0.9, 0.6, -1.3])
H_BEFORE, C_BEFORE = np.array([0.5, -0.25]), np.array([1.5, -0.75])


def sigmoid(*x):
    return 1 / (1 + np.exp(-np.array(x)))


def agrees(work, W_h, projected, before, h, c, label):
    """Compare a step with h_t and c_t."""
    collection, (W_h,) = parameters(W_h)
    state = before and LSTMState(*map(dy.inputVector, before))
    after = work.lstm_cell(SimpleNamespace(hidden_size=2, W_h=W_h), dy.inputVector(projected), state)
    check(isinstance(after, LSTMState), "the result is an LSTMState(hidden, cell)")
    close(numbers(after.cell, (2, 1), "c_t")[:, 0], c, f"c_t {label}", tolerance=1e-5)
    close(numbers(after.hidden, (2, 1), "h_t")[:, 0], h, f"h_t {label}", tolerance=1e-5)


@task("5.3")
def test_the_first_step(work):
    c = sigmoid(0.4, -0.3) * np.tanh([0.6, -1.3])
    h = sigmoid(-0.7, 0.9) * np.tanh(c)
    agrees(work, W_H, Z, None, h, c, "without a state before it: c_t = i * u, h_t = o * tanh(c_t)")


@task("5.3")
def test_a_step_by_hand(work):
    i, f, o, u = (0.9, -0.275), (0.7, 0.55), (-0.3, 0.425), (0.475, -1.7125)  # projected + W_h h
    c = sigmoid(*i) * np.tanh(u) + sigmoid(*f) * C_BEFORE
    label = "after h = 0.5, -0.25 and c = 1.5, -0.75; which block is which gate?"
    agrees(work, W_H, Z, (H_BEFORE, C_BEFORE), sigmoid(*o) * np.tanh(c), c, label)
