"""Exercise 2.4: the gradients of a log-linear model, by hand.

Letters in the shapes: F features, V words of the vocabulary, N positions (words to predict). W is stored as (F, V).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np


def gradients(
    active: Sequence[Mapping[int, float]], p: np.ndarray, targets: np.ndarray, number_of_features: int
) -> tuple[np.ndarray, np.ndarray]:
    """(dl/dW, dl/db) of the loss of N positions, l = the sum of -log p of each target (Neubig 2017, Eq. 29 to 32):

        dl/ds = p - onehot(target)          for each position, with respect to its scores s
        dl/dW_j = x_j dl/ds                 dl/db = dl/ds

    W and b are shared by all positions, so their derivatives are sums over the positions.

    active: for each position, a dictionary from j to x_j. p (N, V): the softmax of the scores; it must not change.
    targets (N,). Result: (F, V) and (V,); the rows of features that are never active are zero.

    One position with active = [{1: 2.0}], p = [[0.25, 0.75]], targets = [0] and 3 features: dl/db is [-0.75, 0.75], and
    dl/dW is [[0, 0], [-1.5, 1.5], [0, 0]].
    """
    # BEGIN SOLUTION 2.4
    dl_ds = p.copy()
    dl_ds[np.arange(len(targets)), targets] -= 1
    dW = np.zeros((number_of_features, p.shape[1]))
    for position, features in enumerate(active):
        for feature, value in features.items():
            dW[feature] += value * dl_ds[position]
    return dW, dl_ds.sum(axis=0)
    # END SOLUTION
