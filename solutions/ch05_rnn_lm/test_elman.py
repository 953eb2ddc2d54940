"""Graders of elman.py."""

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from solutions.checks import close, equal, numbers, task
from solutions.grading.exam import parameters

W_XH = np.array([[0.5, -1.0], [2.0, 0.25], [0.0, 1.5]])
W_HH = np.array([[0.1, 0.7, -0.3], [-0.6, 0.2, 0.4], [0.9, -0.8, 0.05]])
B_H = np.array([0.1, -0.2, 0.3])


@task("5.2")
def test_a_step_by_hand(work):
    collection, weights = parameters(W_XH, W_HH, B_H)
    x = dy.inputVector([1.0, -0.5])
    h = numbers(work.rnn_step(*weights, x, None), (3, 1), "h_1")
    expected = np.tanh([0.5 + 0.5 + 0.1, 2.0 - 0.125 - 0.2, -0.75 + 0.3])
    close(h[:, 0], expected, "h_1 from x = 1, -0.5 and no state before it", tolerance=1e-5)
    h = numbers(work.rnn_step(*weights, x, dy.inputVector([1.0, 0.5, -1.0])), (3, 1), "h_t")
    expected = np.tanh([1.1 + 0.1 + 0.35 + 0.3, 1.675 - 0.6 + 0.1 - 0.4, -0.45 + 0.9 - 0.4 - 0.05])
    close(h[:, 0], expected, "h_t from x = 1, -0.5 and h_{t-1} = 1, 0.5, -1", tolerance=1e-5)


@task("5.2")
def test_a_sequence(work):
    collection, weights = parameters(W_XH, W_HH, B_H)
    inputs = [input_batch(x) for x in np.random.default_rng(4).normal(size=(4, 2, 3))]
    states, h = work.run(*weights, inputs), None
    equal(len(states), 4, "four inputs have four states")
    for t, x in enumerate(inputs):
        h = work.rnn_step(*weights, x, h)
        message = f"h_{t + 1} of 4 states, 3 side by side: your own step from input {t + 1} and the state before"
        close(numbers(states[t], (3, 3), message), h, message, tolerance=1e-5)
