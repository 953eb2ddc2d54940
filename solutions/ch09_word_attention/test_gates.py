"""Graders of gates.py."""

from types import SimpleNamespace

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from common.nn.recurrent import HiddenState
from solutions.checks import check, close, equal, numbers, task
from solutions.grading.exam import parameters

WHAT = "y = (2, 1), s = (-1, 0.5), c^alpha = (1, 3), c^beta = (0.5, -2)"


@task("9.3")
def test_a_gate_by_hand(work):
    W_o, U_o = [[1.0, -0.5], [0.25, 2.0]], [[0.5, 1.5], [-1.0, 0.75]]
    C_o = [[-0.3, 0.6], [1.2, 0.1]], [[0.8, -0.2], [0.4, -0.9]]
    collection, (W_o, U_o, *C_o) = parameters(*map(np.array, (W_o, U_o, *C_o)))
    y, s, *contexts = (dy.inputVector(vector) for vector in ([2.0, 1.0], [-1.0, 0.5], [1.0, 3.0], [0.5, -2.0]))
    actual = work.gate(SimpleNamespace(W_o=W_o, U_o=U_o, C_o=C_o), work.Word(y), s, contexts)
    actual = numbers(actual, (2, 1), WHAT)[:, 0]
    check(((actual > 0) & (actual < 1)).all(), f"{WHAT}: a gate is between 0 and 1: was the sigmoid forgotten?")
    inside = np.array([2.0 - 0.5 - 0.5 + 0.75 - 0.3 + 1.8 + 0.4 + 0.4, 0.5 + 2.0 + 1.0 + 0.375 + 1.2 + 0.3 + 0.2 + 1.8])
    message = f"{WHAT}: the sigmoid of all four products, each with its own matrix"
    close(actual, 1 / (1 + np.exp(-inside)), message, tolerance=1e-5)


@task("9.4")
def test_gated_contexts_by_hand(work):
    label = "o = (0.25, 0.8), c^alpha = (4, 5), c^beta = (8, -10)"
    actual = work.gated_contexts(*given([0.25, 0.8], [4.0, 5.0], [8.0, -10.0]))
    check(isinstance(actual, (list, tuple)), f"{label}: a list of two contexts is asked for")
    equal(len(actual), 2, f"{label}: two contexts come in, and two go out")
    first, second = (numbers(context, (2, 1), label)[:, 0] for context in actual)
    close(first, np.array([1.0, 4.0]), f"{label}: of c^alpha, o is let through, number by number", tolerance=1e-5)
    close(second, np.array([6.0, -2.0]), f"{label}: of c^beta, what o has not taken is let through", tolerance=1e-5)


def given(o, alpha, beta):
    """A gate and the list of contexts as expressions."""
    return dy.inputVector(o), [dy.inputVector(alpha), dy.inputVector(beta)]


@task("9.4")
def test_a_gated_state_by_hand(work):
    """A decoder whose state is what it reads, each with another weight."""

    def step(projected, contexts, layers):
        first, second = contexts
        return [HiddenState(projected + layers[-1].hidden * 10 + first * 100 + second * 1000)]

    layers = [HiddenState(dy.inputVector([2.0, 3.0]))]
    projected = input_batch(np.array([[1.0], [1.0]]))
    gated = given([0.25, 0.8], [4.0, 5.0], [8.0, -10.0])
    actual = work.gated_state(SimpleNamespace(step=step), projected, layers, *gated)
    check(isinstance(actual, (list, tuple)), "the states of all layers are asked for, as step gives them")
    expected = np.array([1 + 20 + 100 * 1.0 + 1000 * 6.0, 1 + 30 + 100 * 4.0 + 1000 * -2.0])
    message = "s_i from the gated contexts, that of the annotations first"
    close(numbers(actual[-1].hidden, (2, 1), message)[:, 0], expected, message, tolerance=1e-5)
