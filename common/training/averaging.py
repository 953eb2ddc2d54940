"""Averaging (--average-epochs N): the model is the mean of the parameters at the ends of the last N epochs.

The steps of an epoch go on from its own end, never from a mean. What is evaluated, kept as the best model and reported
is the mean, in which what moves to and fro from end to end cancels (Polyak and Juditsky 1992; Izmailov et al. 2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from common.training.checkpoint import Parameters, names_of, shapes_of
from common.training.loop import Training


class LastEnds:
    """The parameters at the ends of the last epochs, the latest last: a part of a checkpoint (`Parameters`)."""

    def __init__(self, parameters: Parameters, most: int):
        self.parameters, self.most = parameters, most
        self.kept: list[list[np.ndarray]] = []

    def add(self) -> None:
        """The parameters as they are, instead of the oldest where there are too many."""
        self.kept = [*self.kept, self.parameters.arrays()][-self.most :]

    def means(self) -> list[np.ndarray]:
        """Of every parameter over the ends, in float32."""
        return [
            np.asarray(np.mean(ends, axis=0, dtype=np.float64), np.float32) for ends in zip(*self.kept, strict=True)
        ]

    def names(self) -> list[str]:
        """Of what `arrays` returns."""
        ends = (f"{number}/{name}" for number in range(self.most) for name in names_of(self.parameters))
        return ["ends", *ends]

    def arrays(self) -> list[np.ndarray]:
        """How many ends there are (1,), then the numbers of each, and zeros in the place of those still to come."""
        missing = self.most - len(self.kept)
        zeros = [np.zeros(shape, np.float32) for shape in shapes_of(self.parameters)] * missing
        return [np.array([len(self.kept)], np.float32), *(array for end in self.kept for array in end), *zeros]

    def set_arrays(self, arrays: Sequence[np.ndarray]) -> None:
        """Go on from what `arrays` has returned. Raises ValueError, before anything changes, for what it cannot be."""
        number, each = int(arrays[0][0]), len(names_of(self.parameters))
        if not 0 <= number <= self.most:
            raise ValueError("more ends of epochs than are averaged")
        self.kept = [list(arrays[1 + each * end : 1 + each * (end + 1)]) for end in range(number)]


class AveragedTraining(Training):
    """A `Training` whose last companion is what it averages."""

    changes_weights = True

    @classmethod
    def begin(  # type: ignore[override]
        cls, folder: Path, parameters: Parameters, model: str, resume: bool, *companions: Parameters, most: int
    ) -> Any:
        """As of `Training`. most: how many ends are averaged."""
        return super().begin(folder, parameters, model, resume, *companions, LastEnds(parameters, most))

    @property
    def ends(self) -> Any:
        """The parameters that are averaged (`LastEnds`)."""
        return self.companions[-1]

    def average(self) -> None:
        """Let the model be the mean of the last ends, this one among them, until `restore_weights`."""
        self.ends.add()
        self.parameters.set_arrays(self.ends.means())

    def restore_weights(self) -> None:
        """Let the model be the latest end again."""
        self.parameters.set_arrays(self.ends.kept[-1])
