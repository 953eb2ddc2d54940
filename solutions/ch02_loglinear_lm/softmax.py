"""Exercise 2.3: from active features to scores, from scores to probabilities, and from these to a loss.

Letters in the shapes: F features, V words of the vocabulary, N positions (words to predict). W is stored as (F, V), as
in chapter 2: row j is the column W_j of the equations.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


def scores(W: np.ndarray, b: np.ndarray, active: Mapping[int, float]) -> np.ndarray:
    """s = b + the sum over active features j of W_j x_j (Neubig 2017, Eq. 18): (V,). No other row of W is read.

    W (F, V), b (V,), active: a dictionary from j to x_j. W and b must not change.

    With W = [[1, 2], [5, 5], [10, 30]], b = [0.5, 0.25] and active = {0: 1, 2: 0.5}, the scores are [6.5, 17.25].
    """
    # BEGIN SOLUTION 2.3
    s = b.copy()
    for feature, value in active.items():
        s += W[feature] * value
    return s
    # END SOLUTION


def log_softmax(scores: np.ndarray) -> np.ndarray:
    """log p with p_k = exp(s_k) / sum over all words k' of exp(s_k') (Neubig 2017, Eq. 19): (N, V) -> (N, V), in nats.

    Each row is a distribution. The result must be right for all finite scores: exp(1000) is too large for a float, and
    exp(-1000) is 0 as a float, so its logarithm is minus infinity, although log p is finite.

    With scores = [[0, log(3)]] it is [[log(1/4), log(3/4)]].
    """
    # BEGIN SOLUTION 2.3
    shifted = scores - scores.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    # END SOLUTION


def loss(log_p: np.ndarray, targets: np.ndarray) -> float:
    """-log p of the word that follows (Neubig 2017, Eq. 21 and 28), summed over N positions, in nats.

    log_p (N, V), targets (N,): word ids.

    With log_p = [[-1, -2], [-3, -4]] and targets = [1, 0], it is 5.
    """
    # BEGIN SOLUTION 2.3
    return -float(log_p[np.arange(len(targets)), targets].sum())
    # END SOLUTION
