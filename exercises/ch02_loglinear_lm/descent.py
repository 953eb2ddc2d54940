"""Exercise 2.5: gradient descent, and keeping the parameters that were best on dev."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def sgd_step(parameters: Sequence[np.ndarray], gradients: Sequence[np.ndarray], rate: float) -> None:
    """theta <- theta - rate * gradient (Neubig 2017, Eq. 24), for each array, *in place*.

    In place: the arrays themselves change, so that the model, which uses the same arrays, changes with them. The
    gradients must not change.

    With parameters = [array([1.0, 2.0])], gradients = [array([10.0, -10.0])] and rate 0.1 the array becomes [0, 3].
    """
    # TODO 2.5: a step of SGD, and a training loop that keeps the best
    raise NotImplementedError("Exercise 2.5: a step of SGD, and a training loop that keeps the best")


def train(
    parameters: Sequence[np.ndarray],
    batches: Sequence[Any],
    gradients_of: Callable[[Any], Sequence[np.ndarray]],
    dev_loss: Callable[[], float],
    rate: float,
    epochs: int,
) -> list[float]:
    """Stochastic gradient descent that runs all epochs and keeps the best (Neubig 2017, section 4.2) -> the dev losses.

    An epoch goes through all batches in order, with a step after each. gradients_of(batch): the gradients of its loss
    at the *current* parameters, one array for each of `parameters`. dev_loss(): the loss on dev at the current
    parameters, which is computed after each epoch; dev must not be trained on. At the end, the parameters are set, in
    place, to their values after the epoch with the lowest dev loss (the first such epoch if there are several).

    If the dev losses are [3.0, 2.5, 2.75], the parameters of the second epoch are kept, and this list is returned.
    """
    # TODO 2.5: a step of SGD, and a training loop that keeps the best
    raise NotImplementedError("Exercise 2.5: a step of SGD, and a training loop that keeps the best")
