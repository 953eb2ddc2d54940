"""Graders of elman.py."""

import dynet as dy
import numpy as np

from common.nn.cells import RNN
from solutions.checks import check, close, finite_difference, task

MUTANTS = [
    ("5.2", "return dy.tanh(z if", "return dy.logistic(z if"),
    ("5.2", "z = W_xh * x + b_h", "z = W_xh * x"),
    ("5.2", "z if h is None else z + W_hh * h", "z"),
    ("5.2", "z + W_hh * h", "z + W_hh.expr() * h"),
    ("5.2", "z + W_hh * h", "z + dy.transpose(W_hh) * h"),
    ("5.2", "return dy.tanh(z if h is None else z + W_hh * h)", "return dy.tanh(z) if h is None else z + W_hh * h"),
    ("5.2", "states[-1] if states else None", "states[0] if states else None"),
    ("5.2", "states[-1] if states else None", "None"),
    ("5.2", "for x in inputs:", "for x in inputs[::-1]:"),
    ("5.2", "    return states", "    return states[:1] + states[:-1]"),
]

H = 3
W_XH = np.array([[0.5, -1.0], [2.0, 0.25], [0.0, 1.5]])
W_HH = np.array([[0.1, 0.7, -0.3], [-0.6, 0.2, 0.4], [0.9, -0.8, 0.05]])
B_H = np.array([0.1, -0.2, 0.3])


def parameters():
    collection = dy.ParameterCollection()
    return collection, [
        collection.add_parameters(one.shape, init=dy.NumpyInitializer(one)) for one in (W_XH, W_HH, B_H)
    ]


def batch_of(array):
    """An array (R, B) as an expression (R,) x B."""
    return dy.reshape(dy.inputTensor(array.ravel(order="F")), (len(array),), array.shape[1])


def columns(expression):
    """The numbers of (R,) x B as an array (R, B)."""
    (rows,), batch = expression.dim()
    return np.reshape(expression.npvalue(), (rows, batch), order="F")


def states_of(inputs, W_xh=W_XH, W_hh=W_HH, b_h=B_H):
    """All states for inputs (T, I, B), with plain NumPy: (T, H, B)."""
    h, found = np.zeros((H, inputs.shape[2])), []
    for x in inputs:
        h = np.tanh(W_xh @ x + W_hh @ h + b_h[:, None])
        found.append(h)
    return np.array(found)


def inputs_of(time, batch):
    return np.random.default_rng(4).normal(size=(time, 2, batch))


@task("5.2")
def test_a_step_by_hand(work):
    collection, weights = parameters()
    x = dy.inputVector([1.0, -0.5])
    first = work.rnn_step(*weights, x, None)
    check(isinstance(first, dy.Expression), "the state is an expression, not its value")
    expected = np.tanh([0.5 + 0.5 + 0.1, 2.0 - 0.125 - 0.2, -0.75 + 0.3])
    close(columns(first)[:, 0], expected, "h_1 from x = 1, -0.5 and no state before it", tolerance=1e-5)
    second = work.rnn_step(*weights, x, dy.inputVector([1.0, 0.5, -1.0]))
    expected = np.tanh([1.1 + 0.1 + 0.35 + 0.3, 1.675 - 0.6 + 0.1 - 0.4, -0.45 + 0.9 - 0.4 - 0.05])
    close(columns(second)[:, 0], expected, "h_t from x = 1, -0.5 and h_{t-1} = 1, 0.5, -1", tolerance=1e-5)


@task("5.2")
def test_a_sequence(work):
    for time, batch in [(1, 1), (1, 3), (5, 1), (4, 2)]:
        dy.renew_cg()
        collection, weights = parameters()
        inputs = inputs_of(time, batch)
        found = work.run(*weights, [batch_of(x) for x in inputs])
        check(len(found) == time, f"{time} inputs have {time} states, not {len(found)}")
        for t, expected in enumerate(states_of(inputs)):
            check(found[t].dim() == ((H,), batch), f"a state is ({H},) x {batch}, yours is {found[t].dim()}")
            close(columns(found[t]), expected, f"h_{t + 1} of {time} states, {batch} side by side", tolerance=1e-5)


@task("5.2")
def test_the_future_is_not_seen(work):
    collection, weights = parameters()
    inputs = inputs_of(4, 2)
    before = [columns(h) for h in work.run(*weights, [batch_of(x) for x in inputs])]
    inputs[2] += 1.0
    after = [columns(h) for h in work.run(*weights, [batch_of(x) for x in inputs])]
    same = [bool(np.allclose(one, other)) for one, other in zip(before, after, strict=True)]
    message = "where the third input changes, the first two states must stay, and the third and the fourth must not"
    check(same == [True, True, False, False], message)


@task("5.2")
def test_gradients_against_finite_differences(work):
    collection, weights = parameters()
    inputs = inputs_of(3, 2)
    loss = dy.sum_batches(dy.sum_elems(dy.square(work.run(*weights, [batch_of(x) for x in inputs])[-1])))
    loss.value()
    loss.backward()
    values = [W_XH.copy(), W_HH.copy(), B_H.copy()]
    for name, weight, array in zip(("W_xh", "W_hh", "b_h"), weights, values, strict=True):
        expected = finite_difference(lambda: float((states_of(inputs, *values)[-1] ** 2).sum()), array)
        message = f"the gradient of {name} through three steps: use the parameter itself, in every step"
        close(weight.grad_as_array(), expected, message, tolerance=1e-3)


@task("5.2")
def test_the_course_agrees(work):
    collection = dy.ParameterCollection()
    layer = RNN(collection, 2, H, 0.8)
    layer.b.set_value(B_H)
    inputs = [batch_of(x) for x in inputs_of(4, 2)]
    expected = layer.unroll(dy.concatenate_cols(inputs))
    found = work.run(layer.W_x, layer.W_h, layer.b, inputs)
    for t in range(4):
        close(columns(found[t]), columns(expected[t].hidden), f"h_{t + 1}, as the course's RNN has it", tolerance=1e-5)
