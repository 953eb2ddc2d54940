"""How parameters move along their gradients: plain SGD and three that build on it (Neubig 2017, section 4.2).

Only the rows of W whose features were active in a minibatch have a gradient, and only these are touched. For a row that
was not active, nothing changes: its averages do not decay and it does not move. So each row moves exactly as it
would in an ordinary optimiser that is called only when the row has something to learn; for Adam, the number of steps
is counted row by row.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .model import Gradients, LogLinearLM

Rows = Sequence[int] | np.ndarray


class SGD:
    """theta <- theta - rate * gradient (Neubig 2017, Eq. 24)."""

    rate, epsilon = 10.0, 0.0
    """What suits the embedded corpus; found by trying, like those of the other optimisers."""

    def __init__(self, model: LogLinearLM, epsilon: float):
        self.matrices = [model.W, model.b[None]]  # views: moving them moves the model
        self.epsilon = epsilon

    def zeros(self) -> list[np.ndarray]:
        """A number for each parameter."""
        return [np.zeros_like(matrix) for matrix in self.matrices]

    def arrays(self) -> list[np.ndarray]:
        """What the optimiser remembers from step to step."""
        return []

    def update(self, gradients: Gradients, rate: float) -> None:
        """Move the rows that have a gradient, in place."""
        parts: tuple[tuple[Rows, np.ndarray], ...] = ((gradients.features, gradients.W), ([0], gradients.b[None]))
        for number, (rows, gradient) in enumerate(parts):
            self.matrices[number][rows] -= self.step(number, rows, gradient, np.float32(rate))

    def step(self, number: int, rows: Rows, gradient: np.ndarray, rate: np.float32) -> np.ndarray:
        """What to subtract from these rows of matrix `number` (0: W, 1: b); gradient and result are (rows, V)."""
        return rate * gradient


class Momentum(SGD):
    """Velocity v <- mu v + gradient, a fading sum of past gradients; theta <- theta - rate * v."""

    rate, mu = 3.0, 0.9

    def __init__(self, model: LogLinearLM, epsilon: float):
        super().__init__(model, epsilon)
        self.velocity = self.zeros()

    def arrays(self) -> list[np.ndarray]:
        return self.velocity

    def step(self, number: int, rows: Rows, gradient: np.ndarray, rate: np.float32) -> np.ndarray:
        velocity = self.mu * self.velocity[number][rows] + gradient
        self.velocity[number][rows] = velocity
        return rate * velocity


class AdaGrad(SGD):
    """The rate of each parameter shrinks with its own past: rate / sqrt(epsilon^2 + all its squared gradients)."""

    rate, epsilon = 1.0, 0.1

    def __init__(self, model: LogLinearLM, epsilon: float):
        super().__init__(model, epsilon)
        self.squares = self.zeros()

    def arrays(self) -> list[np.ndarray]:
        return self.squares

    def step(self, number: int, rows: Rows, gradient: np.ndarray, rate: np.float32) -> np.ndarray:
        squares = self.squares[number][rows] + gradient * gradient
        self.squares[number][rows] = squares
        return rate * gradient / np.sqrt(squares + self.epsilon**2)


class Adam(SGD):
    """Fading means of the gradient and of its square; theta <- theta - rate * mean / (sqrt(mean of squares) + epsilon).

    Both means begin at zero; dividing by 1 - beta^t, t the steps of the row so far, takes that out again.
    """

    rate, epsilon, beta1, beta2 = 0.05, 0.003, 0.9, 0.999

    def __init__(self, model: LogLinearLM, epsilon: float):
        super().__init__(model, epsilon)
        self.mean, self.square = self.zeros(), self.zeros()
        self.steps = [np.zeros((len(matrix), 1), dtype=np.float32) for matrix in self.matrices]

    def arrays(self) -> list[np.ndarray]:
        return [*self.mean, *self.square, *self.steps]

    def step(self, number: int, rows: Rows, gradient: np.ndarray, rate: np.float32) -> np.ndarray:
        mean = self.beta1 * self.mean[number][rows] + (1 - self.beta1) * gradient
        square = self.beta2 * self.square[number][rows] + (1 - self.beta2) * gradient * gradient
        steps = self.steps[number][rows] + 1
        self.mean[number][rows], self.square[number][rows], self.steps[number][rows] = mean, square, steps
        mean *= rate / (1 - self.beta1**steps)
        square /= 1 - self.beta2**steps
        return mean / (np.sqrt(square) + self.epsilon)


OPTIMISERS = {"sgd": SGD, "momentum": Momentum, "adagrad": AdaGrad, "adam": Adam}
