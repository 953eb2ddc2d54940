"""Graders of forward.py."""

import numpy as np

from solutions.checks import check, close, plain, task

MUTANTS = [
    ("3.2", "np.maximum(x, 0.0)", "np.abs(x)"),
    ("3.2", "np.maximum(x, 0.0)", "np.maximum(x, 0.01 * x)"),
    ("3.2", "np.tanh(W_xh @ x + b_h)", "relu(W_xh @ x + b_h)"),
    ("3.2", "np.tanh(W_xh @ x + b_h)", "np.tanh(W_xh @ x) + b_h"),
    ("3.2", "np.tanh(W_xh @ x + b_h)", "np.tanh(W_xh @ x + b_h.sum())"),
    ("3.2", "return h, w_hy @ h + b_y", "return h, np.tanh(w_hy @ h + b_y)"),
    ("3.2", "((targets - y) ** 2).sum()", "((targets - y) ** 2).mean()"),
    ("3.2", "((targets - y) ** 2).sum()", "np.abs(targets - y).sum()"),
    ("3.3", "w_hy = np.array([[-1.0, -1.0]])", "w_hy = np.array([[1.0, 1.0]])"),
    ("3.3", "np.array([[1.0, -1.0], [-1.0, 1.0]])", "np.array([[1.0, -1.0], [1.0, -1.0]])"),
    ("3.3", "b_y = np.array([[1.0]])", "b_y = np.array([[0.0]])"),
]

W_XH = np.array([[0.5, -1.0, 0.25], [2.0, 0.0, -0.5]])
B_H = np.array([[0.1], [-0.2]])
W_HY = np.array([[1.5, -0.75]])
B_Y = np.array([[0.3]])
X = np.array([[1.0, -1.0, 0.2, 0.0], [0.5, 0.4, -0.3, 0.0], [-2.0, 1.0, 0.8, 0.0]])


@task("3.2")
def test_relu(work):
    found = work.relu(np.array([[-2.0, 0.0, 3.0], [0.5, -0.1, 7.0]]))
    close(found, np.array([[0.0, 0.0, 3.0], [0.5, 0.0, 7.0]]), "ReLU of [[-2, 0, 3], [0.5, -0.1, 7]]")


@task("3.2")
def test_one_example_by_hand(work):
    h, y = work.forward(W_XH, B_H, W_HY, B_Y, X[:, :1])
    h1, h2 = np.tanh(0.5 * 1.0 - 1.0 * 0.5 + 0.25 * -2.0 + 0.1), np.tanh(2.0 * 1.0 - 0.5 * -2.0 - 0.2)
    close(
        h,
        np.array([[h1], [h2]]),
        "h of one example with 3 inputs and 2 units: tanh of the product and the bias together",
    )
    close(y, np.array([[1.5 * h1 - 0.75 * h2 + 0.3]]), "y of one example: the output layer has no non-linearity")


@task("3.2")
def test_a_batch_is_its_examples_side_by_side(work):
    h, y = work.forward(W_XH, B_H, W_HY, B_Y, X)
    check(
        plain(h, "h").shape == (2, 4) and plain(y, "y").shape == (1, 4), "h is (H, B) and y is (1, B), here with B = 4"
    )
    for column in range(4):
        one_h, one_y = work.forward(W_XH, B_H, W_HY, B_Y, X[:, column : column + 1])
        close(h[:, column : column + 1], one_h, f"column {column} of a batch's h must be h of that example alone")
        close(y[:, column : column + 1], one_y, f"column {column} of a batch's y must be y of that example alone")


@task("3.2")
def test_squared_error(work):
    found = work.squared_error(np.array([[1.0, -1.0, 1.0]]), np.array([[0.5, 2.0, 1.0]]))
    close(found, 9.25, "the sum of the squared differences of (1, -1, 1) and (0.5, 2, 1)")


@task("3.2")
def test_the_chapter_agrees(work):
    from chapters.neural_networks.model import MLP

    h, y = work.forward(W_XH, B_H, W_HY, B_Y, X)
    network = MLP([W_XH, B_H, W_HY, B_Y], "tanh")
    close(h, network.hidden(X), "h, as chapter 3 computes it")
    close(y, network.outputs(X), "y, as chapter 3 computes it")


@task("3.3")
def test_weights_by_hand(work):
    arrays = [np.asarray(plain(one, "weights are arrays"), dtype=float) for one in work.equality_with_two_relu_units()]
    shapes = [one.shape for one in arrays]
    check(
        shapes == [(2, 2), (2, 1), (1, 2), (1, 1)], f"the shapes must be (2, 2), (2, 1), (1, 2), (1, 1), not {shapes}"
    )
    W_xh, b_h, w_hy, b_y = arrays
    for point, label in (((1, 1), 1), ((-1, -1), 1), ((1, -1), -1), ((-1, 1), -1)):
        y = w_hy @ np.maximum(W_xh @ np.array(point, dtype=float)[:, None] + b_h, 0) + b_y
        message = f"at {point} the label is {label}, and your network says {y.item():g}; compute its two units there"
        check(abs(y.item() - label) < 1e-6, message)
