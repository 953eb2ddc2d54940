"""Graders of warm_up.py."""

import dynet as dy

from common.nn.stacking import CELLS, cell_class
from solutions.checks import close, equal, task


@task("5.1")
def test_the_size_of_cells(work):
    """The course's own layers are counted."""
    for cell in CELLS:
        collection = dy.ParameterCollection()
        cell_class(cell)(collection, 5, 2, 0.1)
        expected = collection.parameter_count()
        message = f"{cell}, I = 5, H = 2: count the matrices for x, those for h, and the biases"
        equal(work.how_many_parameters(cell, 5, 2), expected, message)


@task("5.1")
def test_the_way_back(work):
    for weight, steps, expected in [(0.5, 3, 0.125), (0.9, 1, 0.9), (2.0, 5, 32.0), (-1.0, 3, -1.0), (0.3, 0, 1.0)]:
        close(work.gradient_after(weight, steps), expected, f"dh_T / dh_0 with the weight {weight} and T = {steps}")


@task("5.1")
def test_what_is_padding(work):
    for lengths, expected in [([4, 1], 3 / 10), ([2, 2, 2], 0.0), ([5, 0, 2], 8 / 18), ([7], 0.0)]:
        message = f"sentences of {lengths} words: all positions, and those that are padding; each sentence ends in </s>"
        close(work.share_of_padding(lengths), expected, message)
