"""Exercise 2.6, advanced: Adam for a model in which each batch changes only a few rows.

Letters in the shapes: F features, V words of the vocabulary, R rows that have a gradient.
"""

from __future__ import annotations

import numpy as np


def adam_step(
    W: np.ndarray,
    mean: np.ndarray,
    square: np.ndarray,
    steps: np.ndarray,
    rows: np.ndarray,
    gradient: np.ndarray,
    rate: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
) -> None:
    """One step of Adam (Kingma and Ba 2015; Neubig 2017, section 4.2) for some rows of W, in place. For each of these:

        t <- t + 1
        m <- beta1 m + (1 - beta1) g              a running mean of the gradients g,
        v <- beta2 v + (1 - beta2) g^2            and one of their squares, element by element
        W <- W - rate * m^ / (sqrt(v^) + epsilon)
        with  m^ = m / (1 - beta1^t)  and  v^ = v / (1 - beta2^t)

    The two divisions correct for m = v = 0 at the beginning. For rows that are not in `rows`, nothing changes: W, m, v
    and t keep their values. So t is counted separately for each row.

    W, mean (all m), square (all v): (F, V), float. steps (all t): (F,), whole numbers. All four change in place.
    rows: (R,), the numbers of R different rows; gradient: (R, V), of these rows; neither may change.

    A row's first step moves a number by about the rate if its gradient is far larger than epsilon: with W = [[1.0,
    1.0]], mean, square and steps zero, rows = [0], gradient = [[5.0, -0.001]] and rate 0.5, W becomes nearly [[0.5,
    1.5]].
    """
    # TODO 2.6: Adam, row by row (advanced)
    raise NotImplementedError("Exercise 2.6: Adam, row by row (advanced)")
