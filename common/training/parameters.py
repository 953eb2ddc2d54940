"""The numbers that a model learns, as arrays by name."""

from __future__ import annotations

from typing import Protocol

import numpy as np

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
