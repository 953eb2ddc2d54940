"""A NaN of one check must not be in the numbers of the next: DyNet keeps its memory from graph to graph."""

from __future__ import annotations

import numpy as np
import pytest

from solutions.grading.dynet_setup import prepare
from solutions.grading.exam import Draw, fresh, gradients, parameters, step
from solutions.grading.execution import PASSED, Source, Submission, run_grader

prepare()
dy = pytest.importorskip("dynet")

SPOILED = """
import dynet as dy
import numpy as np

def spoil():
    return dy.inputTensor(np.full((60, 60), np.nan)) * 2.0

def product(W, x):
    return W * x
"""


def test_each_question_of_an_exam_begins_in_clean_memory() -> None:
    fresh(Draw("x"))
    (dy.inputTensor(np.full((60, 60), np.nan)) * 2.0).forward()  # NaN wherever a small graph finds its memory
    fresh(Draw("x"))
    collection, (W,) = parameters(np.eye(3))
    assert (W * dy.inputVector([1.0, 2.0, 3.0])).npvalue().tolist() == [1.0, 2.0, 3.0]


def test_a_grader_after_one_that_has_seen_nan_passes() -> None:
    submission = Submission({"work": Source("work.py", SPOILED)})

    def spoiling(work: object) -> None:
        assert np.isnan(work.spoil().npvalue()).all()

    def grading(work: object) -> None:
        collection, (W,) = parameters(np.eye(2))
        assert work.product(W, dy.inputVector([1.0, 2.0])).npvalue().tolist() == [1.0, 2.0]

    assert [run_grader(grader, submission, "work").status for grader in (spoiling, grading)] == [PASSED, PASSED]


@pytest.mark.parametrize("first", [2.0, np.nan])
def test_gradients_are_those_of_one_question(first: float) -> None:
    """A gradient of an earlier question is in none of a later one."""
    collection, params = parameters(np.ones((1, 2)))
    for factor in (first, 1.0):
        fresh(Draw("x"))
        value, gradient = gradients(params[0] * dy.inputVector([factor, 3.0]), *params)
    assert value == 4.0 and gradient["values"] == [1.0, 3.0]
    assert params[0].as_array().tolist() == [[1.0, 1.0]], "the parameter itself stays"
    fresh(Draw("x"))
    assert step(params[0] * dy.inputVector([1.0, 3.0]), *params)[1][1]["values"] == [1.0, 3.0]
