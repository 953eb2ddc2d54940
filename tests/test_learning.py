"""Training until a mark is reached: when it ends, and what it complains of."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest

from solutions.checks import Wrong, train_until


def parameter(name: str, array: np.ndarray) -> SimpleNamespace:
    """What is read of one of DyNet's."""
    return SimpleNamespace(name=lambda: name, shape=lambda: array.shape, as_array=lambda: array)


class Countdown:
    """A training whose loss falls by 1 a step, and a collection of two parameters, of which it moves some."""

    def __init__(self, loss: float, moving: int = 2):
        self.loss, self.moving = loss, moving
        self.arrays = np.zeros((2, 3))

    def parameters_list(self) -> list[SimpleNamespace]:
        return [parameter(f"/{number}", array) for number, array in enumerate(self.arrays)]

    def lookup_parameters_list(self) -> list:
        return []

    def step(self) -> float:
        self.loss -= 1
        self.arrays[: self.moving] += 1
        return self.loss + 1


def test_training_ends_soon_after_the_mark() -> None:
    training = Countdown(100)
    assert train_until(lambda loss: loss < 88, training.step, training, 50, "it") == 15
    training = Countdown(100, moving=1)
    assert train_until(lambda loss: loss < 88, training.step, training, 50, "it", training.parameters_list()[1:]) == 15


@pytest.mark.parametrize(
    ("loss", "moving", "complaint"),
    [
        (100, 2, "20 steps should be enough to learn it; your loss ends at 81.00"),
        (70, 2, "there should be something to learn; your loss begins at 70.00"),
        (81, 1, "the parameter /1 of shape (3,) has not moved: it gets no gradient"),
    ],
)
def test_training_that_is_not_learning(loss: float, moving: int, complaint: str) -> None:
    training = Countdown(loss, moving)
    with pytest.raises(Wrong, match=re.escape(complaint)):
        train_until(lambda loss: loss < 80, training.step, training, 20, "it")
