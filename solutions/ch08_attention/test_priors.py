"""Graders of priors.py."""

import dynet as dy
import numpy as np

from chapters.attention import attention_priors as priors
from solutions.checks import close, numbers, task


@task("8.6")
def test_the_diagonal_by_hand(work):
    collection = dy.ParameterCollection()
    bias = priors.PositionBias(collection, 0.75)
    bias.strength.set_value(np.array([[2.0]]))
    label = "s = 2, rho = 0.75, four words, t = 2"
    scores = numbers(work.position_scores(bias, 4, 2), (4, 1, 1), label)
    message = f"{label}: the diagonal is at 1.5; each word costs its distance from there, times s"
    close(scores[:, 0, 0], np.array([-3.0, -1.0, -1.0, -3.0]), message, tolerance=1e-5)


@task("8.6")
def test_jumps_by_hand(work):
    collection = dy.ParameterCollection()
    bias = priors.MarkovBias(collection, 1)
    bias.jumps.set_value(np.array([[0.5, -1.0, 2.0]]))
    label = "D = 1, w = (0.5, -1, 2), four words"
    matrix = numbers(work.markov_matrix(bias, 4), (4, 4, 1), label)[:, :, 0]
    expected = np.array([[-1, 0.5, 0, 0], [2, -1, 0.5, 0], [0, 2, -1, 0.5], [0, 0, 2, -1]])
    message = f"{label}: row j, column i has w_{{j-i}}, so the jump of one word forwards is below the diagonal"
    close(matrix, expected, message, tolerance=1e-5)
