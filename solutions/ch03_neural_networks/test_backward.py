"""Graders of backward.py."""

import numpy as np

from solutions.checks import check, close, finite_difference, task

MUTANTS = [
    ("3.4", "1 - h**2", "1 - np.tanh(h) ** 2"),
    ("3.4", "1 - h**2", "h * (1 - h)"),
    ("3.4", "dy = 2 * (y - targets)", "dy = 2 * (targets - y)"),
    ("3.4", "dy = 2 * (y - targets)", "dy = y - targets"),
    ("3.4", " * tanh_derivative(h)  # by what enters tanh", ""),
    ("3.4", "dh.sum(axis=1, keepdims=True)", "dh.mean(axis=1, keepdims=True)"),
    ("3.4", "dy.sum(axis=1, keepdims=True)", "dy[:, :1]"),
    ("3.4", "dh @ x.T", "dh @ x.T / x.shape[1]"),
    ("3.4", "dy @ h.T", "dy @ (W_xh @ x + b_h).T"),
    ("3.4", "(w_hy.T @ dy)", "(w_hy.T @ np.ones_like(dy))"),
]

NAMES = ("W_xh", "b_h", "w_hy", "b_y")


def example(batch):
    """Parameters with 3 units and 2 inputs, and a batch of examples."""
    rng = np.random.default_rng(3)
    shapes = [(3, 2), (3, 1), (1, 3), (1, 1), (2, batch), (1, batch)]
    return [rng.normal(0, 0.8, shape) for shape in shapes]


def loss_of(W_xh, b_h, w_hy, b_y, x, targets):
    """Written out here, so that only the derivatives are the student's."""
    return float(((targets - (w_hy @ np.tanh(W_xh @ x + b_h) + b_y)) ** 2).sum())


@task("3.4")
def test_the_derivative_of_tanh(work):
    x = np.array([[-1.5, 0.0, 0.3], [0.9, 2.0, -0.2]])
    measured = (np.tanh(x + 1e-6) - np.tanh(x - 1e-6)) / 2e-6
    close(
        work.tanh_derivative(np.tanh(x)), measured, "the derivative of tanh from its value h, not from what entered it"
    )


@task("3.4")
def test_one_unit_by_hand(work):
    one = [np.array([[value]]) for value in (0.0, 0.0, 2.0, 0.5, 3.0, 1.0)]
    loss, *found = work.gradients(*one)
    close(loss, 0.25, "the loss where h = 0, y = 0.5 and y* = 1")
    for name, derivative, expected in zip(NAMES, found, (-6.0, -2.0, 0.0, -1.0), strict=True):
        close(derivative, np.array([[expected]]), f"d loss / d {name} where h = 0, w_hy = 2, y = 0.5, y* = 1, x = 3")


@task("3.4")
def test_every_derivative_against_finite_differences(work):
    for batch in (1, 4):
        arrays = example(batch)
        loss, *found = work.gradients(*arrays)
        close(loss, loss_of(*arrays), f"the loss of a batch of {batch}")
        for number, name in enumerate(NAMES):
            measured = finite_difference(lambda arrays=arrays: loss_of(*arrays), arrays[number])
            message = f"d loss / d {name}, a batch of {batch}, compared with moving each element a little"
            close(found[number], measured, message, tolerance=1e-5)
            check(np.abs(measured).max() > 1e-3, "the example is too easy")


@task("3.4")
def test_a_batch_is_the_sum_of_its_examples(work):
    arrays = example(3)
    together = work.gradients(*arrays)
    alone = [work.gradients(*arrays[:4], *(one[:, i : i + 1] for one in arrays[4:])) for i in range(3)]
    for name, whole, parts in zip(("loss", *NAMES), together, zip(*alone, strict=True), strict=True):
        close(whole, sum(parts), f"{name} of a batch must be the sum over its examples")


@task("3.4")
def test_the_chapter_agrees(work):
    from chapters.neural_networks.model import MLP

    arrays = example(5)
    loss, *found = work.gradients(*arrays)
    expected_loss, expected = MLP(arrays[:4], "tanh").gradients(*arrays[4:])
    close(loss, expected_loss, "the loss, as chapter 3 computes it")
    for name, one, other in zip(NAMES, found, expected, strict=True):
        close(one, other, f"d loss / d {name}, as chapter 3 computes it")
