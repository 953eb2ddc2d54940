"""Graders of policy.py."""

import numpy as np

from common.nn.arrays import input_batch
from solutions.checks import close, numbers, task


@task("10.5")
def test_advantages_by_hand(work):
    costs = np.array([[0.2, 0.4, 0.9], [1.0, 0.0, 0.5]])
    expected = np.array([[0.2 - 0.65, 0.4 - 0.55, 0.9 - 0.3], [1.0 - 0.25, 0.0 - 0.75, 0.5 - 0.5]])
    message = "two sentences with three samples: the cost less the mean of the two others of the same sentence"
    close(work.against_others(costs), expected, message)
    close(work.against_others(np.array([[0.3], [0.9]])), np.zeros((2, 1)), "one sample for each of two sentences")


@task("10.5")
def test_the_loss_by_hand(work):
    log_probs = np.array([[-1.0, -4.0], [-2.0, -0.5], [-3.0, -2.0]])
    advantages = np.array([[0.5, -0.25, -0.25], [1.0, 0.0, -0.75]])
    expected = np.array([(-0.5 + 0.5 + 0.75) / 3, (-4.0 + 0.0 + 1.5) / 3])
    label = "three samples of two sentences"
    loss = numbers(work.policy_loss(input_batch(log_probs), advantages), (1, 2), label)[0]
    close(loss, expected, f"{label}: the mean of advantage times log P", tolerance=1e-6)
