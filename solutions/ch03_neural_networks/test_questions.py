"""Graders of questions.py."""

import numpy as np

from solutions.checks import answer, close, equal, task

MUTANTS = [
    ("3.1", "return 3", "return 4"),
    ("3.1", "return 1.0", "return 0.0"),
    ("3.1", 'return "d"', 'return "a"'),
    ("3.1", "(layers - 1) * (hidden_size + 1)", "(layers - 1) * hidden_size"),
    ("3.1", "(layers - 1) *", "layers *"),
    ("3.1", "(inputs + 1) * hidden_size", "inputs * hidden_size"),
]


@task("3.1")
def test_points_on_the_right_side(work):
    equal(work.most_points_right(), 3, "draw the four points and try lines; one of them is always in the way, no more")


@task("3.1")
def test_the_best_squared_error(work):
    message = (
        "the sums over the points of y*, y* x_1 and y* x_2 are all 0: what do w and b do to the squared error then?"
    )
    close(work.smallest_squared_error(), 1.0, message)


@task("3.1")
def test_the_reason(work):
    message = "which of the four is a proof? Write the conditions for the four points down, all as `... > 0`"
    answer(work.why_not_all(), "decdb0c191db7c42", message)


@task("3.1")
def test_the_size_of_a_network(work):
    from chapters.neural_networks.model import initial_arrays

    for inputs, hidden_size, layers in [(2, 3, 1), (5, 4, 1), (2, 8, 2), (7, 3, 4)]:
        arrays = initial_arrays(inputs, hidden_size, layers, np.random.default_rng(1))
        message = f"{inputs} inputs, {layers} hidden layers of {hidden_size} units, one output, all with biases"
        equal(work.how_many_parameters(inputs, hidden_size, layers), sum(one.size for one in arrays), message)
