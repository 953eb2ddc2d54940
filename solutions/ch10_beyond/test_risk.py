"""Graders of risk.py."""

import numpy as np

from common.nn.arrays import input_batch
from solutions.checks import check, close, equal, numbers, task

LOG_P = np.log(np.array([[0.09, 0.04], [0.16, 0.36], [0.01, 0.25], [0.25, 0.01]]))
COSTS = np.array([[0.0, 0.5, 1.0, 0.3], [0.2, 0.0, 0.7, 0.9]])
COUNTED = np.array([[True, True, True, False], [False, True, True, True]])
"""Four candidates of two sentences, one of each left out. Roots of those of the first: 0.3, 0.4, 0.1, 0.8 in sum."""


@task("10.4")
def test_duplicates_are_left_out(work):
    sentences = [[5, 6, 0], [5, 0], [5, 6, 0], [6, 5, 0], [5, 0], [5, 6, 0], [7, 0]]
    expected = [True, True, False, True, False, False, True]
    equal(list(work.firsts(sentences, 0)), expected, f"{sentences}: the first of each kind, order and all")
    expected = [False, True, True, True, False, False, True]
    message = f"{sentences}, skip 1: the first does not count, and what is like it may"
    equal(list(work.firsts(sentences, 1)), expected, message)


@task("10.4")
def test_the_expected_cost_by_hand(work):
    label = "two sentences with four candidates each, one of them left out"
    costs, counted = COSTS.copy(), COUNTED.copy()
    cost = numbers(work.expected_cost(input_batch(LOG_P), costs, counted, 0.5), (1, 2), label)[0]
    check((costs == COSTS).all() and (counted == COUNTED).all(), f"{label}: costs and counted must stay as they were")
    message = f"{label}: a mean of costs from 0 to 1 is between 0 and 1: is Q one in sum?"
    check(((cost >= 0) & (cost <= 1)).all(), message)
    expected = np.array([(0.4 * 0.5 + 0.1 * 1.0) / 0.8, (0.5 * 0.7 + 0.1 * 0.9) / 1.2])
    message = f"{label}: P^alpha of those that count, divided by their sum, times the costs"
    close(cost, expected, message, tolerance=1e-5)


@task("10.4")
def test_the_gradient_by_hand(work):
    Q, cost = np.array([0.3, 0.4, 0.1, 0.0]) / 0.8, 0.3 / 0.8
    gradient = work.risk_gradient(LOG_P[:, 0].copy(), COSTS[0], COUNTED[0], 0.5)
    message = "costs 0, 0.5, 1, of which the mean is 0.375, alpha = 1/2: what a little more of each log P does to it"
    close(gradient, 0.5 * Q * (COSTS[0] - cost), message, tolerance=1e-5)
