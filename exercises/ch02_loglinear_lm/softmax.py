"""Exercise 2.3: from active features to scores, from scores to probabilities, from these to a loss.

Letters in the shapes: F features, V words of the vocabulary, N positions (words to predict). W is stored as (F, V), as
in chapter 2: row j is the column W_j of the equations.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


def scores(W: np.ndarray, b: np.ndarray, active: Mapping[int, float]) -> np.ndarray:
    """s = b + the sum over active features j of W_j x_j (Neubig 2017, Eq. 18): (V,). No other row of W is read.

    W (F, V), b (V,), active: x_j by j. W and b must stay as they are.

    With W = [[1, 2], [5, 5], [10, 30]], b = [0.5, 0.25] and active = {0: 1, 2: 0.5} the scores are [6.5, 17.25].
    """
    # TODO 2.3: scores, softmax, loss
    raise NotImplementedError("Exercise 2.3: scores, softmax, loss")


def log_softmax(scores: np.ndarray) -> np.ndarray:
    """log p with p_k = exp(s_k) / sum over all words k' of exp(s_k') (Neubig 2017, Eq. 19): (N, V) -> (N, V), in nats.

    Each row is a distribution. It must come out right for every finite score: exp(1000) is more than a float can hold,
    and the logarithm of exp(-1000), which is 0 in a float, is minus infinity, though log p is not.

    With scores = [[0, log(3)]] it is [[log(1/4), log(3/4)]].
    """
    # TODO 2.3: scores, softmax, loss
    raise NotImplementedError("Exercise 2.3: scores, softmax, loss")


def loss(log_p: np.ndarray, targets: np.ndarray) -> float:
    """-log p of the word that came (Neubig 2017, Eq. 21 and 28), summed over N positions, in nats.

    log_p (N, V), targets (N,) of word ids.

    With log_p = [[-1, -2], [-3, -4]] and targets = [1, 0] it is 5.
    """
    # TODO 2.3: scores, softmax, loss
    raise NotImplementedError("Exercise 2.3: scores, softmax, loss")
