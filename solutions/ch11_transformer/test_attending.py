"""Graders of attending.py."""

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from solutions.checks import check, close, numbers, task

QUERIES = np.array([[1.0, 0.0], [2.0, -1.0], [0.5, 3.0], [-1.0, 2.0]])
KEYS = np.array([[2.0, 0.0, 1.0], [1.0, -1.0, 0.5], [0.0, 4.0, -2.0], [3.0, 1.0, 0.0]])


def expression(array):
    return input_batch(np.asarray(array, dtype=float)[:, :, None])


@task("11.3")
def test_scores_by_hand(work):
    label = "the scores of three keys for two queries, D = 4"
    scores = numbers(work.scaled_scores(expression(QUERIES), expression(KEYS)), (3, 2, 1), label)[:, :, 0]
    products = [[2 + 2 + 0 - 3, 0 - 1 + 0 + 6], [0 - 2 + 2 - 1, 0 + 1 + 12 + 2], [1 + 1 - 1 + 0, 0 - 0.5 - 6 + 0]]
    message = f"{label}: a row for each key, a column for each query, all over the root of the size of a key"
    close(scores, np.array(products) / 2, message, tolerance=1e-5)


@task("11.3")
def test_a_mask_by_hand(work):
    mask = numbers(work.causal_mask(3), (3, 3, 1), "the mask of three positions")[:, :, 0]
    for t in range(3):
        check((mask[: t + 1, t] == 0).all(), f"position {t + 1} may attend to itself and to all before it: 0 is added")
        ahead = f"position {t + 1} must not attend to later ones: -1e9 is added in rows below the diagonal"
        check((mask[t + 1 :, t] == -1e9).all(), ahead)


@task("11.3")
def test_contexts_by_hand(work):
    odds = np.array([[1.0, 1.0], [3.0, 4.0], [6.0, 5.0]])
    queries, keys = np.vstack([2 * np.eye(2), np.zeros((2, 2))]), np.vstack([np.log(odds).T, np.full((2, 3), 7.0)])
    values = np.array([[10.0, 20.0, -10.0], [0.0, 1.0, 5.0], [2.0, -2.0, 1.0]])
    for mask in (None, np.array([[0.0, 0.0], [0.0, 0.0], [-1e9, 0.0]])):
        label = "contexts of two queries" + (
            " without a mask" if mask is None else ", the third key masked for the first"
        )
        mask_expression = None if mask is None else dy.inputTensor(mask)
        contexts = work.attend(expression(queries), expression(keys), expression(values), mask_expression)
        allowed = odds * (1 if mask is None else mask == 0)
        expected = values @ (allowed / allowed.sum(axis=0))
        message = f"{label}: mask, then softmax down each column of scores, then values times weights"
        close(numbers(contexts, (3, 2, 1), label)[:, :, 0], expected, message, tolerance=1e-5)
