"""Graders of adam.py."""

import numpy as np

from solutions.checks import check, close, task


def memory(rows, columns):
    """mean, square and steps of a training that has not begun."""
    return np.zeros((rows, columns)), np.zeros((rows, columns)), np.zeros(rows, dtype=int)


@task("2.6")
def test_the_first_step_by_hand(work):
    W, (mean, square, steps) = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]), memory(3, 3)
    work.adam_step(W, mean, square, steps, np.array([1]), np.array([[2.0, -1.0, 0.5]]), 0.5, 0.75, 0.9, 0.25)
    close(mean[1], np.array([0.5, -0.25, 0.125]), "m after the gradient 2, -1, 0.5, with beta1 = 0.75")
    close(square[1], np.array([0.4, 0.1, 0.025]), "v after the gradient 2, -1, 0.5, with beta2 = 0.9")
    moved = np.array([4 - 0.5 * 2 / 2.25, 5 + 0.5 * 1 / 1.25, 6 - 0.5 * 0.5 / 0.75])
    message = "the row after a first step with rate 0.5 and epsilon 0.25: m^ and v^ are the gradient and its square"
    close(W[1], moved, message)
    check(steps.tolist() == [0, 1, 0], f"only the row that was used has made a step; your steps are {steps.tolist()}")


@task("2.6")
def test_two_steps_by_hand(work):
    W, memories = np.array([[1.0], [2.0]]), memory(2, 1)
    for slope in (2.0, -4.0):
        work.adam_step(W, *memories, np.array([0]), np.array([[slope]]), 0.1, 0.5, 0.75, 0.5)
    m, v = 0.5 * 1.0 + 0.5 * -4.0, 0.75 * 1.0 + 0.25 * 16.0
    expected = 1.0 - 0.1 * 2.0 / 2.5 - 0.1 * (m / 0.75) / (np.sqrt(v / (1 - 0.75**2)) + 0.5)
    close(W[0], np.array([expected]), "a row after the gradients 2 and -4, with beta1 = 0.5 and beta2 = 0.75")
    close(W[1], np.array([2.0]), "a row that was not used stands still")
