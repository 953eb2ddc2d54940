"""A multi-layer perceptron and its back-propagation by hand, in NumPy (Neubig 2017, sections 5.2 and 5.3).

Letters in the shapes: I inputs, H hidden size, B examples in the batch. An example is a column, as in the equations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np


def step(x: np.ndarray) -> np.ndarray:
    """1 where x > 0, otherwise -1 (Neubig 2017, Eq. 35)."""
    return np.where(x > 0, 1.0, -1.0)


def step_derivative(x: np.ndarray) -> np.ndarray:
    """0 (Neubig 2017, Eq. 37). At x = 0 there is no derivative; a program needs a number, and this is 0 too."""
    return np.zeros_like(x)


def relu(x: np.ndarray) -> np.ndarray:
    """The rectified linear unit: x where x > 0, otherwise 0 (Neubig 2017, Eq. 38)."""
    return np.where(x > 0, x, 0.0)


def relu_derivative(x: np.ndarray) -> np.ndarray:
    """1 where x > 0, otherwise 0, also at x = 0 where there is none."""
    return np.where(x > 0, 1.0, 0.0)


def tanh_derivative(x: np.ndarray) -> np.ndarray:
    """1 - tanh(x)^2: at most 1, and nearly nothing where tanh is saturated."""
    return 1 - np.tanh(x) ** 2


class Activation(NamedTuple):
    """An activation function and its derivative, both element by element, as functions of the sum that enters it."""

    function: Callable[[np.ndarray], np.ndarray]
    derivative: Callable[[np.ndarray], np.ndarray]


ACTIVATIONS = {
    "tanh": Activation(np.tanh, tanh_derivative),
    "relu": Activation(relu, relu_derivative),
    "step": Activation(step, step_derivative),
}


def squared_error(targets: np.ndarray, outputs: np.ndarray) -> float:
    """Sum over the batch of (y* - y)^2 (Neubig 2017, Eq. 36): both (1, B)."""
    return float(((targets - outputs) ** 2).sum())


def initial_arrays(inputs: int, hidden_size: int, layers: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Where training starts: W and b of each layer in turn, the output layer last.

    W (out, in) and b (out, 1) are uniform in plus or minus sqrt(6 / (in + out)) (Glorot and Bengio 2010): large
    enough for the units to differ, small enough for tanh not to be saturated.
    """
    sizes = [inputs, *[hidden_size] * layers, 1]
    arrays = []
    for below, size in zip(sizes, sizes[1:], strict=False):
        limit = np.sqrt(6 / (below + size))
        arrays += [rng.uniform(-limit, limit, (size, below)), rng.uniform(-limit, limit, (size, 1))]
    return arrays


class MLP:
    """Hidden layers h = f(W h_below + b), the first of them on x, then y = W h + b (Neubig 2017, Eq. 34)."""

    def __init__(self, arrays: Sequence[np.ndarray], activation: str):
        """arrays: W and b of each layer as `initial_arrays` makes them. activation: tanh, relu or step."""
        self.activation = activation
        self.set_arrays(arrays)

    def arrays(self) -> list[np.ndarray]:
        """W (out, in) and b (out, 1) of each layer in turn: the parameters."""
        return [*self._arrays]

    def set_arrays(self, arrays: Sequence[np.ndarray]) -> None:
        """Take other parameters."""
        self._arrays = [np.array(array, dtype=np.float64) for array in arrays]

    def forward(self, x: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Every layer's value before and after its activation function (Neubig 2017, Eq. 34 and 39): x (I, B).

        Returns (h', h): for each layer (H, B), the last of both being the output y (1, B), which has none.
        """
        function = ACTIVATIONS[self.activation].function
        *hidden_layers, output_layer = zip(self._arrays[::2], self._arrays[1::2], strict=True)
        pre_activations, activations = [], [x]
        for W, b in hidden_layers:
            pre_activations.append(W @ activations[-1] + b)
            activations.append(function(pre_activations[-1]))
        W, b = output_layer
        y = W @ activations[-1] + b
        return [*pre_activations, y], [*activations[1:], y]

    def outputs(self, x: np.ndarray) -> np.ndarray:
        """y of every example: x (I, B) -> (1, B)."""
        return self.forward(x)[1][-1]

    def hidden(self, x: np.ndarray) -> np.ndarray:
        """The last hidden layer, which the output layer sees: x (I, B) -> (H, B)."""
        return self.forward(x)[1][-2]

    def gradients(self, x: np.ndarray, targets: np.ndarray) -> tuple[float, list[np.ndarray]]:
        """The summed squared error, and its derivatives by every parameter (Neubig 2017, Eq. 40).

        x (I, B), targets (1, B). Back-propagation: `error` is the derivative of the loss by a layer's value before
        its activation function, (H, B), and goes from the output down, one product a layer.
        """
        derivative = ACTIVATIONS[self.activation].derivative
        pre_activations, activations = self.forward(x)
        below, weights = [x, *activations[:-1]], self._arrays[::2]
        error = 2 * (activations[-1] - targets)
        gradients = []
        for layer in reversed(range(len(weights))):
            gradients = [error @ below[layer].T, error.sum(axis=1, keepdims=True), *gradients]
            if layer > 0:
                error = (weights[layer].T @ error) * derivative(pre_activations[layer - 1])
        return squared_error(targets, activations[-1]), gradients

    def update(self, x: np.ndarray, targets: np.ndarray, learning_rate: float) -> float:
        """One step of stochastic gradient descent on the mean loss of a batch; the summed loss before it."""
        loss, gradients = self.gradients(x, targets)
        for array, gradient in zip(self._arrays, gradients, strict=True):
            array -= learning_rate / x.shape[1] * gradient
        return loss
