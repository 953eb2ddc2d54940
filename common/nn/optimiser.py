"""The optimisers of the neural chapters: stochastic gradient descent, and Adam.

Both move the parameters of a DyNet collection after each backward pass: set `learning_rate`, then call `update`. Both
are `checkpoint.Parameters`, too: a checkpoint keeps what they remember, so that a resumed run goes on as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dynet as dy
import numpy as np

from common.errors import UserError
from common.nn.adam_means import BETA1, BETA2, read_means, write_means
from common.nn.parameters import Parameter, all_of


def take_step(trainer: dy.Trainer) -> None:
    """One update. Raises `UserError` where the norm of the gradients, which is to be clipped, is not finite."""
    try:
        trainer.update()
    except RuntimeError:
        raise UserError("the norm of the gradients is not finite; lower --learning-rate") from None


class SGD:
    """Stochastic gradient descent (Neubig 2017, Eq. 24), which remembers nothing."""

    def __init__(self, collection: dy.ParameterCollection, clip: float, epsilon: float = 0):
        self.trainer = dy.SimpleSGDTrainer(collection)
        self.trainer.set_clip_threshold(clip)
        self.learning_rate = 0.0

    def update(self) -> None:
        """Move the parameters against their gradients."""
        self.trainer.learning_rate = self.learning_rate
        take_step(self.trainer)

    def names(self) -> list[str]:
        return []

    def arrays(self) -> list[np.ndarray]:
        return []

    def set_arrays(self, arrays: Sequence[np.ndarray]) -> None: ...


class Adam:
    """Adam (Kingma and Ba 2015): p <- p - rate m / (sqrt(v) + epsilon), number by number.

    m and v are running means of the gradient g and of its square, m <- b1 m + (1 - b1) g and v <- b2 v + (1 - b2) g^2.
    They start at 0, which `bias_correction` makes up for. DyNet hides them; `adam_means` finds them out.
    """

    def __init__(self, collection: dy.ParameterCollection, clip: float, epsilon: float = 1e-8):
        """clip: largest norm of all gradients together, 0: no limit. epsilon: gradients much smaller hardly count."""
        self.collection, self.clip, self.epsilon = collection, clip, epsilon
        self.learning_rate, self.steps = 0.0, 0
        self.start_trainer()

    def start_trainer(self) -> None:
        """One whose means are 0."""
        self.trainer, self.trainer_steps = dy.AdamTrainer(self.collection, eps=self.epsilon), 0

    def update(self) -> None:
        """Move the parameters against their gradients."""
        self.steps += 1
        self.trainer.set_clip_threshold(self.clip)
        self.step(self.learning_rate * bias_correction(self.steps))

    def step(self, rate: float) -> None:
        """A step of the trainer, whose own correction for its number of steps is taken out of the rate."""
        self.trainer_steps += 1
        self.trainer.learning_rate = rate / bias_correction(self.trainer_steps)
        take_step(self.trainer)

    def parameters(self) -> list[Parameter]:
        return all_of(self.collection)

    def names(self) -> list[str]:
        """Of what `arrays` returns."""
        return ["steps", *(f"{mean}/{parameter.name()}" for parameter in self.parameters() for mean in "mv")]

    def arrays(self) -> list[np.ndarray]:
        """The number of steps (1,), then m and v of each parameter, float32 (`adam_means.read_means`)."""
        return [np.array([self.steps], np.float32), *read_means(self)]

    def set_arrays(self, arrays: Sequence[np.ndarray]) -> None:
        """Go on from what `arrays` has returned. Raises ValueError, before anything changes, for what it cannot be."""
        steps, means = int(arrays[0][0]), arrays[1:]
        if not 0 <= steps < 2**31 or any((square < 0).any() for square in means[1::2]):
            raise ValueError("a number of steps out of range, or means of squares below 0")
        self.start_trainer()
        self.steps = steps
        if steps:
            write_means(self, means)


def bias_correction(steps: int) -> float:
    """What makes up for means that started at 0, after this many steps."""
    return float(np.sqrt(1 - BETA2**steps) / (1 - BETA1**steps))


OPTIMISERS = {"adam": Adam, "sgd": SGD}


def make_optimiser(kind: str, collection: dy.ParameterCollection, clip: float, epsilon: float = 1e-8) -> Any:
    """One of `OPTIMISERS`, which clips the gradient's global norm at `clip` (0: no)."""
    return OPTIMISERS[kind](collection, clip, epsilon)
