"""Graders of output.py."""

import dynet as dy
import numpy as np

from solutions.checks import check, close, distribution, numbers, task
from solutions.grading.exam import parameters

W_G = np.array([[1.0, -0.5, 0.25, 2.0, -1.5, 0.5, 0.75, -0.25], [0.3, 1.2, -0.7, 0.4, 0.9, -1.1, 0.6, 0.2]])
B_G = np.array([0.1, -0.4])
E = np.array([[0.5, -1.0], [2.0, 0.25], [-0.75, 1.5]])
B_S = np.array([0.3, -0.2, 0.6])
WHAT = "y = (1, 2), s = (-1, 0.5), c^alpha = (2, -2), c^beta = (0, 4)"


@task("9.5")
def test_by_hand(work):
    collection, weights = parameters(W_G, B_G, E, B_S)
    y, s, *contexts = (dy.inputVector(vector) for vector in ([1.0, 2.0], [-1.0, 0.5], [2.0, -2.0], [0.0, 4.0]))
    log_p = numbers(work.log_probs(*weights, y, s, contexts), (3, 1), WHAT)[:, 0]
    message = f"{WHAT}: a log-probability is at most 0; is it a probability, or a score, or minus it?"
    check((log_p < 1e-6).all(), message)
    distribution(np.exp(log_p), f"{WHAT}: exp of the log-probabilities")
    z = [1.0 - 1.0 - 0.25 + 1.0 - 3.0 - 1.0 - 1.0 + 0.1, 0.3 + 2.4 + 0.7 + 0.2 + 1.8 + 2.2 + 0.8 - 0.4]
    scores = np.array([0.5 * z[0] - z[1] + 0.3, 2 * z[0] + 0.25 * z[1] - 0.2, -0.75 * z[0] + 1.5 * z[1] + 0.6])
    message = f"{WHAT}: one above the other in this order, W_g and b_g, then E and b_s, then log_softmax, nothing else"
    close(log_p, scores - np.log(sum(np.exp(scores))), message, tolerance=1e-4)
