"""Graders of softmax.py."""

import numpy as np

from solutions.checks import close, task


@task("2.3")
def test_scores_by_hand(work):
    W = np.array([[1.0, -2.0, 0.5, 3.0], [0.25, 4.0, -1.0, 0.0], [-3.0, 1.5, 2.0, -0.5]])
    scores = work.scores(W, np.array([0.1, -0.2, 0.3, 0.7]), {0: 1.0, 2: 2.0})
    expected = np.array([1 - 6 + 0.1, -2 + 3 - 0.2, 0.5 + 4 + 0.3, 3 - 1 + 0.7])
    close(scores, expected, "the scores of 4 words where x_0 = 1 and x_2 = 2")


@task("2.3")
def test_the_softmax_by_hand(work):
    log_probs = work.log_softmax(np.log([[1.0, 2.0, 5.0], [6.0, 3.0, 1.0]]))
    expected = np.log([[0.125, 0.25, 0.625], [0.6, 0.3, 0.1]])
    close(log_probs, expected, "log p of the scores log 1, log 2, log 5 and log 6, log 3, log 1; each row by itself")


@task("2.3")
def test_the_loss_by_hand(work):
    log_p = np.array([[-0.5, -1.25, -3.0], [-2.0, -0.75, -4.0]])
    close(work.loss(log_p, np.array([2, 1])), 3.75, "-log p of word 2 in the first position and word 1 in the second")
