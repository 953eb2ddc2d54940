"""The numbers that a model learns, as arrays by name, and how they are written: whole or not at all, without pickle.

`loading` reads them again. An epoch is the unit that is never lost: after each, `loop.Training` writes a checkpoint.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from common.errors import UserError
from common.files import atomic_write

CHECKPOINT = "checkpoint.npz"
PREFIX = "array/"
"""Before the name of each array in a file, so that no name is taken for that of the facts."""


class Parameters(Protocol):
    """All the numbers that a model learns, in a fixed order: of a NumPy model itself, or of `nn.parameters`. A method
    `names`, where there is one, gives each array a name, so that no two of one shape can be exchanged."""

    def arrays(self) -> list[np.ndarray]: ...

    def set_arrays(self, arrays: list[np.ndarray]) -> None: ...


def names_of(parameters: Parameters) -> list[str]:
    """The arrays' names: their own, or else their numbers."""
    if hasattr(parameters, "names"):
        return parameters.names()
    return [f"{number:03}" for number in range(len(parameters.arrays()))]


def shapes_of(parameters: Parameters) -> list[tuple[int, ...]]:
    """The arrays' shapes, which some parameters can tell (`shapes`) without handing over all of their numbers."""
    if hasattr(parameters, "shapes"):
        return parameters.shapes()
    return [array.shape for array in parameters.arrays()]


class CombinedParameters:
    """Several sets of parameters as one; the names begin with a part's number."""

    def __init__(self, parts: Sequence[Parameters]):
        self.parts = parts

    def names(self) -> list[str]:
        return [f"{number}/{name}" for number, part in enumerate(self.parts) for name in names_of(part)]

    def shapes(self) -> list[tuple[int, ...]]:
        return [shape for part in self.parts for shape in shapes_of(part)]

    def arrays(self) -> list[np.ndarray]:
        return [array for part in self.parts for array in part.arrays()]

    def set_arrays(self, arrays: Sequence[np.ndarray]) -> None:
        """From the last part to the first, the model: an optimiser may refuse numbers, and then nothing has changed."""
        end = len(arrays)
        for part in reversed(self.parts):
            start = end - len(names_of(part))
            part.set_arrays(list(arrays[start:end]))
            end = start


def save_parameters(path: str | Path, parameters: Parameters, about: dict) -> None:
    """Write every array of `parameters` by its name, and the JSON-able facts `about` them, to one .npz file."""
    arrays: dict[str, Any] = dict(zip(map(PREFIX.__add__, names_of(parameters)), parameters.arrays(), strict=True))
    with atomic_write(path, "wb") as file:
        np.savez(file, about=np.array(json.dumps(about)), **arrays)


def count_parameters(parameters: Parameters) -> int:
    """How many numbers the model learns."""
    return sum(math.prod(shape) for shape in shapes_of(parameters))


def check_loss(loss: float, epoch: int) -> float:
    """The loss. Raises `UserError` where it is not finite: DyNet cannot go on in the same process after that."""
    if not math.isfinite(loss):
        raise UserError(f"epoch {epoch}: the loss is {loss}; the steps are too large; lower --learning-rate")
    return loss


def can_resume(folder: Path, prepared: str = CHECKPOINT) -> bool:
    """Whether a run has a checkpoint or `prepared` to go on from. One that is a link to nothing is there, damaged."""
    return any(os.path.lexists(folder / name) for name in (CHECKPOINT, prepared))
