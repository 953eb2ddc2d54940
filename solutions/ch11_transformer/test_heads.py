"""Graders of heads.py."""

import numpy as np

from common.nn.arrays import input_batch
from solutions.checks import check, close, numbers, task
from solutions.grading.exam import parameters


def expression(array):
    return input_batch(np.asarray(array, dtype=float)[:, :, None])


def make_heads(work, heads, *matrices):
    """A `Heads` with these matrices W_q, W_k, W_v, W_o; the collection must be kept."""
    collection, params = parameters(*matrices)
    return collection, work.Heads(heads, *params)


@task("11.4")
def test_projections_by_hand(work):
    matrices = [np.array([[a, 2.0], [-1.0, a]]) for a in (1.0, 3.0, 5.0, 7.0)]
    collection, attention = make_heads(work, 1, *matrices)
    projections = list(work.project(attention, expression([[1.0], [-2.0]])))
    check(len(projections) == 3, "queries, keys and values: three expressions")
    for name, actual, first in zip(("queries", "keys", "values"), projections, (1.0, 3.0, 5.0), strict=True):
        label = f"the {name} of x = (1, -2)"
        actual = numbers(actual, (2, 1, 1), label)[:, 0, 0]
        close(actual, [first - 4.0, -1.0 - 2.0 * first], f"{label}: their own matrix times x", tolerance=1e-5)


@task("11.4")
def test_rows_by_hand(work):
    collection, attention = make_heads(work, 3, *np.zeros((4, 6, 6)))
    x = np.arange(12.0).reshape(6, 2)
    for head in range(3):
        label = f"head {head} of 3, of six rows"
        own = numbers(work.rows(attention, expression(x), head), (2, 2, 1), label)[:, :, 0]
        close(own, x[2 * head : 2 * head + 2], f"{label}: two rows that follow each other, and all columns")


@task("11.4")
def test_two_heads_by_hand(work):
    root, log = np.sqrt(2), np.log
    queries = [[root], [0.0], [0.0], [root]]
    keys = [[0.0, log(3)], [5.0, -2.0], [7.0, 1.0], [log(4), 0.0]]
    values = [[4.0, 8.0], [0.0, -4.0], [5.0, 10.0], [-5.0, 0.0]]
    W_o = np.array([[1.0, 2.0, 0.0, -1.0], [0.5, 0.0, 3.0, 1.0], [-1.0, 1.0, 2.0, 0.0], [0.0, -2.0, 1.0, 4.0]])
    collection, attention = make_heads(work, 2, *np.zeros((3, 4, 4)), W_o)
    label = "two heads of two rows, two keys"
    joined = work.attend_with_heads(attention, *map(expression, (queries, keys, values)), None)
    contexts = np.array([4 / 4 + 8 * 3 / 4, -4 * 3 / 4, 5 * 4 / 5 + 10 / 5, -5 * 4 / 5])
    message = f"{label}: head 0 weighs its values 1/4 and 3/4, head 1 its own 4/5 and 1/5; W_o times both contexts"
    close(numbers(joined, (4, 1, 1), label)[:, 0, 0], W_o @ contexts, message, tolerance=1e-5)
