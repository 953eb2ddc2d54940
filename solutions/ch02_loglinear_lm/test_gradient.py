"""Graders of gradient.py."""

import numpy as np

from solutions.checks import check, close, task

ACTIVE = [{0: 1.0, 3: 2.0}, {1: 1.0, 3: 1.0}]
P = np.array([[0.1, 0.2, 0.3, 0.4], [0.5, 0.25, 0.125, 0.125]])
FIRST, SECOND = np.array([0.1, 0.2, -0.7, 0.4]), np.array([-0.5, 0.25, 0.125, 0.125])
"""The gradients of the scores, where the words 2 and 0 came."""


@task("2.4")
def test_one_position_by_hand(work):
    p = P[:1].copy()
    dW, db = work.gradients(ACTIVE[:1], p, np.array([2]), 5)
    close(db, FIRST, "dl/db with p = 0.1, 0.2, 0.3, 0.4, where word 2 came: what was expected, minus what came")
    expected = np.array([FIRST, 0 * FIRST, 0 * FIRST, 2 * FIRST, 0 * FIRST])
    close(dW, expected, "dl/dW with x_0 = 1 and x_3 = 2: a row is x_j times the gradient of the scores")
    check(np.array_equal(p, P[:1]), "p belongs to whoever called: change a copy of it")


@task("2.4")
def test_positions_add_up(work):
    dW, db = work.gradients(ACTIVE, P.copy(), np.array([2, 0]), 5)
    close(db, FIRST + SECOND, "dl/db of two positions is the sum of those of each")
    expected = np.array([FIRST, SECOND, 0 * FIRST, 2 * FIRST + SECOND, 0 * FIRST])
    close(dW, expected, "dl/dW of two positions is the sum of those of each, also where both have a feature")
