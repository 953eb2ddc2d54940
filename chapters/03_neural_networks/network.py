"""What the three networks of this chapter have in common, however their gradients are computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np


class Network(Protocol):
    """A multi-layer perceptron by hand (model.py), by automatic differentiation, or in DyNet.

    Points are columns: x (I, B), targets (1, B).
    """

    activation: str

    def arrays(self) -> list[np.ndarray]:
        """W (out, in) and b (out, 1) of each layer in turn."""
        ...

    def set_arrays(self, arrays: Sequence[np.ndarray]) -> None:
        """Take other parameters."""
        ...

    def outputs(self, x: np.ndarray) -> np.ndarray:
        """y of every point, (1, B)."""
        ...

    def hidden(self, x: np.ndarray) -> np.ndarray:
        """The last hidden layer, (H, B)."""
        ...

    def gradients(self, x: np.ndarray, targets: np.ndarray) -> tuple[float, list[np.ndarray]]:
        """The summed squared error, and its derivatives by every parameter."""
        ...

    def update(self, x: np.ndarray, targets: np.ndarray, learning_rate: float) -> float:
        """One step of stochastic gradient descent on the mean loss of a batch; the summed loss before it."""
        ...
