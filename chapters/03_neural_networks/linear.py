"""The linear model, and what it cannot do with four labelled points: the reason for everything else in this chapter."""

from __future__ import annotations

import numpy as np


def linear(W: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    """y = W x + b (Neubig 2017, Eq. 33): W (1, I), b (1, 1), x (I, B) -> (1, B)."""
    return W @ x + b


def least_squares(x: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """W (1, I) and b (1, 1) of the smallest squared error: x (I, B), targets (1, B)."""
    rows = np.concatenate([x, np.ones_like(x[:1])]).T
    solution = np.linalg.lstsq(rows, targets.T, rcond=None)[0].T
    return solution[:, :-1], solution[:, -1:]


def perceptron(x: np.ndarray, targets: np.ndarray, passes: int) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Rosenblatt's rule: at each point on the wrong side of the line, add its label times the point to W.

    Returns W (1, I), b (1, 1), and how many points each pass found on the wrong side. Where a line separates the
    labels, the rule finds one; where none does, it never comes to rest.
    """
    W, b, mistakes = np.zeros((1, len(x))), np.zeros((1, 1)), []
    for _ in range(passes):
        mistakes.append(0)
        for point, target in zip(x.T[:, :, None], targets.T[:, :, None], strict=True):
            if target * linear(W, b, point) <= 0:
                W, b = W + target * point.T, b + target
                mistakes[-1] += 1
    return W, b, mistakes
