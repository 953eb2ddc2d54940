"""Exercise 10.5: REINFORCE, with the other samples as a baseline.

Letters in the shapes: k samples of a sentence, B sentences in the batch. (k,) x B is a batch of B vectors in DyNet.
"""

from __future__ import annotations

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch


def against_others(costs: np.ndarray) -> np.ndarray:
    """The advantage of each sample: its cost minus the mean cost of the other samples of its sentence.

    costs (B, k) -> (B, k). A single sample has the advantage 0.

    against_others(np.array([[1.0, 2.0, 6.0]])) is [[-3.0, -1.5, 4.5]]
    """
    # BEGIN SOLUTION 10.5
    B, k = costs.shape
    if k == 1:
        return np.zeros((B, 1))
    others = (costs.sum(axis=1, keepdims=True) - costs) / (k - 1)
    return costs - others
    # END SOLUTION


def policy_loss(log_probs: dy.Expression, advantages: np.ndarray) -> dy.Expression:
    """(1/k) sum over the samples c of advantage(c) log P(c), whose gradient is that of REINFORCE (Williams 1992).

    log_probs: log P(c) in nats, (k,) x B. advantages (B, k); they are numbers, so no gradient goes through them.
    -> (1,) x B. As it is minimised, samples that cost less than the others become more probable.

    Useful: input_batch(array), which makes (k,) x B of an array (k, B), and dy.dot_product.

    With the log-probabilities [-2, -3] and the advantages [-1, 1], it is -0.5.
    """
    # BEGIN SOLUTION 10.5
    k = advantages.shape[1]
    return dy.dot_product(log_probs, input_batch(advantages.T)) * (1 / k)
    # END SOLUTION
