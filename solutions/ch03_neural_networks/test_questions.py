"""Graders of questions.py."""

import numpy as np

from solutions.checks import answer, close, equal, task


@task("3.1")
def test_points_on_the_right_side(work):
    equal(work.most_points_right(), 3, "draw the four points and try lines: how many can be on their own side at once?")


@task("3.1")
def test_the_best_squared_error(work):
    message = "the sums over the points of y*, y* x_1 and y* x_2 are all 0: what do w and b do to the error then?"
    close(work.smallest_squared_error(), 1.0, message)


@task("3.1")
def test_the_reason(work):
    message = "which of the four is a proof? Write the conditions for the four points down, all as `... > 0`"
    answer(work.why_not_all(), "decdb0c191db7c42", message)


@task("3.1")
def test_the_size_of_a_network(work):
    from chapters.neural_networks.model import initial_arrays

    size = sum(array.size for array in initial_arrays(7, 3, 4, np.random.default_rng(1)))
    message = "7 inputs, 4 hidden layers of 3 units, one output, all with biases"
    equal(work.how_many_parameters(7, 3, 4), size, message)
