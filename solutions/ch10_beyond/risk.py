"""Exercise 10.4: the expected cost of a sentence's candidates, and its gradient.

Letters in the shapes: n candidates of a sentence, B sentences in the batch. (n,) x B is a batch of B vectors in DyNet.
"""

from __future__ import annotations

from collections.abc import Sequence

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch


def firsts(sentences: Sequence[Sequence[int]], skip: int) -> list[bool]:
    """Which candidates count: those that do not repeat a counted one before them.

    sentences: the candidates of one source sentence, as ids. skip: that many candidates at the beginning never count
    (the reference comes first, and may be left out).

    firsts([[5, 0], [5, 0], [6, 0], [5, 0]], 1) == [False, True, True, False]
    """
    # BEGIN SOLUTION 10.4
    counted: list[list[int]] = []
    flags = []
    for place, sentence in enumerate(sentences):
        new = place >= skip and list(sentence) not in counted
        flags.append(new)
        if new:
            counted.append(list(sentence))
    return flags
    # END SOLUTION


def expected_cost(log_probs: dy.Expression, costs: np.ndarray, counted: np.ndarray, alpha: float) -> dy.Expression:
    """sum over c of Q(c) cost(c), with Q(c) = P(c)^alpha / sum over c' of P(c')^alpha (Shen et al. 2016).

    log_probs: log P(c) in nats, (n,) x B. costs (B, n). counted (B, n): True for the candidates that take part in both
    sums, at least one in each row. -> (1,) x B. Log-probabilities of whole sentences may be -1000 or less. Useful:
    input_batch(array), which makes (n,) x B of an array (n, B); dy.softmax; dy.dot_product. DyNet accepts log_probs *
    alpha, but not alpha * log_probs.

    With the log-probabilities [log 0.09, log 0.01, log 0.25], of which the last is not counted, the costs [0.2, 1, 5]
    and alpha = 1/2, it is 0.4.
    """
    # BEGIN SOLUTION 10.4
    left_out = np.where(counted, 0.0, -1e9)
    Q = dy.softmax(log_probs * alpha + input_batch(left_out.T))
    return dy.dot_product(Q, input_batch(costs.T))
    # END SOLUTION


def risk_gradient(log_probs: np.ndarray, costs: np.ndarray, counted: np.ndarray, alpha: float) -> np.ndarray:
    """The derivative of the expected cost with respect to each log P(c), for one sentence; derive the formula on paper.

    log_probs, costs, counted (n,) -> (n,). For a candidate that is not counted, it is 0. Log P may be -1000 or less.

    risk_gradient(np.array([-2.0, -2.0]), np.array([0.0, 1.0]), np.array([True, True]), 1.0) is [-0.25, 0.25]
    """
    # BEGIN SOLUTION 10.4
    scores = np.where(counted, alpha * log_probs, -np.inf)
    powers = np.exp(scores - scores.max())
    Q = powers / powers.sum()
    return alpha * Q * (costs - Q @ costs)
    # END SOLUTION
