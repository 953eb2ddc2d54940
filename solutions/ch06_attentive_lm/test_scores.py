"""Graders of scores.py."""

import numpy as np

from common.nn.arrays import input_batch
from solutions.checks import check, close, numbers, task
from solutions.grading.exam import parameters

V_S = np.array([[0.5, -2.0, 1.25]])
W_S = np.array([[1.0, -0.5], [0.25, 2.0], [-1.5, 0.75]])
W_Q = np.array([[0.2, 0.6], [-0.8, 0.1], [0.4, -1.2]])
PAST = np.array([[[1.0], [0.5]], [[2.0], [-1.0]]])
READ = np.array([[1.0 - 1.0, 0.25 + 4.0, -1.5 + 1.5], [0.5 + 0.5, 0.125 - 2.0, -0.75 - 0.75]])
"""Two past states of one sentence, h_1 = (1, 2) and h_2 = (0.5, -1), and W h_i of each, a row."""
WHAT = "the scores of h_1 = (1, 2) and h_2 = (0.5, -1)"


@task("6.2")
def test_single_scores_by_hand(work):
    collection, (v, W) = parameters(V_S, W_S)
    scores = numbers(work.single_scores(v, W, input_batch(PAST)), (2, 1, 1), WHAT)[:, 0, 0]
    message = f"{WHAT}: tanh of the three numbers of W h_i, each times its number of v, added up; no softmax yet"
    close(scores, np.tanh(READ) @ V_S[0], message, tolerance=1e-5)


def combined(work, weights, queries):
    scores = work.combined_scores(*weights, input_batch(PAST), input_batch(queries))
    return numbers(scores, (2, queries.shape[1], 1), f"{WHAT} for {queries.shape[1]} queries")[:, :, 0]


@task("6.3")
def test_combined_scores_by_hand(work):
    collection, weights = parameters(V_S, W_S, W_Q)
    query = np.array([0.2 - 0.3, -0.8 - 0.05, 0.4 + 0.6])  # W_q h_t
    scores = combined(work, weights, np.array([[[1.0]], [[-0.5]]]))[:, 0]
    message = f"{WHAT} for h_t = (1, -0.5): W h_i + W_q h_t is added up inside the tanh; no softmax yet"
    close(scores, np.tanh(READ + query) @ V_S[0], message, tolerance=1e-5)


@task("6.3")
def test_combined_who_looks_matters(work):
    collection, weights = parameters(V_S, W_S, W_Q)
    queries = np.random.default_rng(4).normal(size=(2, 3, 1))
    before = combined(work, weights, queries)
    queries[:, 1] += 0.5
    change = np.abs(combined(work, weights, queries) - before) > 1e-6
    check(change.any(), "another query must change scores; does W_q h_t reach them?")
    message = "where only the second query changes, column 2 of the scores must change, and no other"
    check(change.tolist() == [[False, True, False]] * 2, message)
