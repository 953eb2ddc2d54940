"""Graders of adam.py."""

from types import SimpleNamespace

import numpy as np

from solutions.checks import check, close, task

MUTANTS = [
    ("2.6", "corrected_mean = mean[rows] / (1 - beta1**t)", "corrected_mean = mean[rows]"),
    ("2.6", "corrected_square = square[rows] / (1 - beta2**t)", "corrected_square = square[rows]"),
    ("2.6", "(1 - beta2**t)", "(1 - beta1**t)"),
    ("2.6", "np.sqrt(corrected_square) + epsilon", "np.sqrt(corrected_square + epsilon)"),
    ("2.6", "np.sqrt(corrected_square) + epsilon", "corrected_square + epsilon"),
    ("2.6", "(1 - beta2) * gradient**2", "(1 - beta2) * gradient"),
    ("2.6", "(1 - beta1) * gradient", "gradient"),
    ("2.6", "    steps[rows] += 1", "    steps += 1"),
    ("2.6", "    t = steps[rows][:, None]", "    t = steps.max()"),
    ("2.6", "    steps[rows] += 1\n", "    mean *= beta1\n    mean[rows] /= beta1\n    steps[rows] += 1\n"),
    ("2.6", "W[rows] -= rate *", "W[rows] += rate *"),
]


def memory(shape):
    """mean, square and steps of a training that has not begun."""
    return np.zeros(shape), np.zeros(shape), np.zeros(shape[0], dtype=int)


@task("2.6")
def test_the_first_step_by_hand(work):
    W = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
    mean, square, steps = memory(W.shape)
    gradient = np.array([[2.0, -1.0, 0.5]])
    work.adam_step(W, mean, square, steps, np.array([1]), gradient, 0.5, 0.75, 0.9, 0.25)
    moved = [4 - 0.5 * 2 / 2.25, 5 + 0.5 * 1 / 1.25, 6 - 0.5 * 0.5 / 0.75]
    close(mean[1], np.array([0.5, -0.25, 0.125]), "m after the gradient 2, -1, 0.5, with beta1 = 0.75")
    close(square[1], np.array([0.4, 0.1, 0.025]), "v after the gradient 2, -1, 0.5, with beta2 = 0.9")
    message = "the row after a first step with rate 0.5 and epsilon 0.25: m^ and v^ are the gradient and its square"
    close(W[1], np.array(moved), message)
    check(steps.tolist() == [0, 1, 0], f"only the row that was used has made a step; your steps are {steps.tolist()}")
    close(gradient, np.array([[2.0, -1.0, 0.5]]), "the gradient must be what it was")


@task("2.6")
def test_two_steps_by_hand(work):
    W = np.array([[1.0], [2.0]])
    mean, square, steps = memory(W.shape)
    for slope in (2.0, -4.0):
        work.adam_step(W, mean, square, steps, np.array([0]), np.array([[slope]]), 0.1, 0.5, 0.75, 0.5)
    m, v = 0.5 * 1.0 + 0.5 * -4.0, 0.75 * 1.0 + 0.25 * 16.0
    first = 1.0 - 0.1 * 2.0 / 2.5
    second = first - 0.1 * (m / 0.75) / (np.sqrt(v / (1 - 0.75**2)) + 0.5)
    close(W[0], np.array([second]), "a row after the gradients 2 and -4, with beta1 = 0.5 and beta2 = 0.75")


@task("2.6")
def test_a_row_that_is_not_used_stands_still(work):
    rng = np.random.default_rng(2)
    W = rng.normal(size=(4, 3))
    mean, square, steps = memory(W.shape)
    work.adam_step(W, mean, square, steps, np.array([0, 1, 2, 3]), rng.normal(size=(4, 3)), 0.1)
    before = [array[[0, 2]].copy() for array in (W, mean, square, steps)]
    work.adam_step(W, mean, square, steps, np.array([3, 1]), rng.normal(size=(2, 3)), 0.1)
    for name, array, kept in zip(("W", "mean", "square", "steps"), (W, mean, square, steps), before, strict=True):
        message = f"{name} of the rows 0 and 2 must not change where only the rows 3 and 1 have a gradient"
        check(np.array_equal(array[[0, 2]], kept), message)


@task("2.6")
def test_each_row_has_its_own_clock(work):
    """A row that is used in every second step moves like one that is used in as many steps, one after the other."""
    rng = np.random.default_rng(3)
    gradients = rng.normal(size=(6, 1, 3))
    W, alone = np.ones((2, 3)), np.ones((1, 3))
    memories, own = memory((2, 3)), memory((1, 3))
    for number in range(6):
        rows = np.array([0, 1]) if number % 2 else np.array([0])
        work.adam_step(W, *memories, rows, np.concatenate([gradients[number]] * len(rows)), 0.1)
        if number % 2:
            work.adam_step(alone, *own, np.array([0]), gradients[number], 0.1)
    close(W[1:], alone, "a row that is used every second time: its t counts its own steps only")


@task("2.6")
def test_the_order_of_rows(work):
    rng = np.random.default_rng(4)
    gradient = rng.normal(size=(2, 3))
    results = []
    for order in ([0, 1], [1, 0]):
        W, memories = np.ones((4, 3)), memory((4, 3))
        work.adam_step(W, *memories, np.array([3]), np.full((1, 3), 2.0), 0.1, epsilon=0.5)
        work.adam_step(W, *memories, np.array([3, 1])[order], gradient[order], 0.1, epsilon=0.5)
        results.append(W)
    complaint = "rows and gradients in another order, the same step; row 3 has made one before, row 1 none"
    close(results[0], results[1], complaint)
    close(results[0][[0, 2]], np.ones((2, 3)), "rows 0 and 2, which have no gradient")


@task("2.6")
def test_the_chapter_agrees(work):
    from chapters.loglinear_lm.model import Gradients
    from chapters.loglinear_lm.optimisers import Adam

    rng = np.random.default_rng(5)
    model = SimpleNamespace(W=rng.normal(size=(5, 3)), b=np.zeros(3))
    W, optimiser = model.W.copy(), Adam(model, 0.003)
    memories = memory(W.shape)
    for rows in ([0, 3], [1, 3, 4], [3], [0, 1, 2]):
        gradient = rng.normal(size=(len(rows), 3))
        optimiser.update(Gradients(np.zeros(3), np.array(rows), gradient), 0.05)
        work.adam_step(W, *memories, np.array(rows), gradient, 0.05, epsilon=0.003)
    close(W, model.W, "W after four steps with different rows, as chapter 2 has it", tolerance=1e-5)
