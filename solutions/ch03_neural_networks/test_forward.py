"""Graders of forward.py."""

import numpy as np

from solutions.checks import check, close, plain, task


@task("3.2")
def test_relu(work):
    activations = work.relu(np.array([[-2.0, 0.0, 3.0], [0.5, -0.1, 7.0]]))
    close(activations, np.array([[0.0, 0.0, 3.0], [0.5, 0.0, 7.0]]), "ReLU of [[-2, 0, 3], [0.5, -0.1, 7]]")


@task("3.2")
def test_one_example_by_hand(work):
    W_xh, b_h = np.array([[0.5, -1.0, 0.25], [2.0, 0.0, -0.5]]), np.array([[0.1], [-0.2]])
    x = np.array([[1.0], [0.5], [-2.0]])
    h, y = work.forward(W_xh, b_h, np.array([[1.5, -0.75]]), np.array([[0.3]]), x)
    a, b = np.tanh(0.5 * 1.0 - 1.0 * 0.5 + 0.25 * -2.0 + 0.1), np.tanh(2.0 * 1.0 - 0.5 * -2.0 - 0.2)
    message = "h of one example with 3 inputs and 2 units: tanh of the product and the bias together"
    close(h, np.array([[a], [b]]), message)
    close(y, np.array([[1.5 * a - 0.75 * b + 0.3]]), "y of one example: the output layer has no non-linearity")


@task("3.2")
def test_squared_error(work):
    loss = work.squared_error(np.array([[1.0, -1.0, 1.0]]), np.array([[0.5, 2.0, 1.0]]))
    close(loss, 9.25, "the sum of the squared differences of (1, -1, 1) and (0.5, 2, 1)")


@task("3.3")
def test_weights_by_hand(work):
    arrays = [plain(weights, "weights are arrays") for weights in work.equality_with_two_relu_units()]
    arrays = [np.asarray(array, dtype=float) for array in arrays]
    shapes = [array.shape for array in arrays]
    message = f"the shapes must be (2, 2), (2, 1), (1, 2), (1, 1), not {shapes}"
    check(shapes == [(2, 2), (2, 1), (1, 2), (1, 1)], message)
    W_xh, b_h, w_hy, b_y = arrays
    for point, label in (((1, 1), 1), ((-1, -1), 1), ((1, -1), -1), ((-1, 1), -1)):
        y = w_hy @ np.maximum(W_xh @ np.array(point, dtype=float)[:, None] + b_h, 0) + b_y
        message = f"at {point} the label is {label}, and your network says {y.item():g}; compute its two units there"
        check(abs(y.item() - label) < 1e-6, message)
