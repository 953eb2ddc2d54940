"""Saving models and checkpoints, without pickle, whole or not at all (`loading` reads them); early stopping.

An epoch is the unit that is never lost: after each, `Training.finish_epoch` writes a checkpoint.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from common.errors import UserError
from common.files import atomic_write
from common.training.parameters import PREFIX, Parameters, names_of, shapes_of


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


@dataclass(frozen=True)
class EpochRecord:
    """What an epoch left behind. The training perplexity is that of a changing model, with dropout."""

    epoch: int
    train_perplexity: float
    dev_perplexity: float
    learning_rate: float
    predictions: int
    seconds: float

    def line(self, improved: bool) -> str:
        """The epoch as a line of the log."""
        return (
            f"epoch {self.epoch:3}  train {self.train_perplexity:8.2f}  dev {self.dev_perplexity:8.2f}  "
            f"{self.predictions / self.seconds:6.0f} tokens/s" + ("  (best so far)" if improved else "")
        )


CHECKPOINT = "checkpoint.npz"


def can_resume(folder: Path, prepared: str = CHECKPOINT) -> bool:
    """Whether a run has a checkpoint or `prepared` to go on from. One that is a link to nothing is there, damaged."""
    return any(os.path.lexists(folder / name) for name in (CHECKPOINT, prepared))


@dataclass
class Training:
    """The progress of a training run: one record per epoch, and which epoch's model was the best on dev.

    Early stopping: `epochs_left` ends after `patience` epochs without a better dev perplexity, and `roll_back` returns
    to the best model. companions: what else a checkpoint contains and resumes: what the optimiser remembers, and a
    model that is trained together with this one.
    """

    folder: Path
    parameters: Parameters
    model: str
    history: list[dict] = field(default_factory=list)
    companions: Sequence[Parameters] = ()
    record: ClassVar[type[EpochRecord]] = EpochRecord
    changes_weights: ClassVar[bool] = False  # whether a finished epoch leaves other parameters than were evaluated

    @classmethod
    def begin(cls, folder: Path, parameters: Parameters, model: str, resume: bool, *companions: Parameters) -> Training:
        """A new training run of the model of this name, or with `resume` the one whose checkpoint is in `folder`."""
        training = cls(folder, parameters, model, companions=companions)
        if resume and can_resume(folder):
            from common.training.loading import load_training

            load_training(training)
        return training

    @property
    def all_parameters(self) -> Parameters:
        """All that a checkpoint contains."""
        return CombinedParameters([self.parameters, *self.companions])

    @property
    def best(self) -> dict:
        """The record of the best epoch so far (the first, among equals)."""
        return min(self.history, key=lambda record: record["dev_perplexity"])

    def epochs_left(self, epochs: int, patience: int) -> Iterator[int]:
        """The numbers of the epochs to come, from 1; stops when patience has run out."""
        while len(self.history) < epochs:
            if self.history and len(self.history) - self.best["epoch"] >= patience:
                return
            yield len(self.history) + 1

    def restore_weights(self) -> None:
        """Let the model be what the next epoch goes on from, where something else was evaluated (`averaging`)."""

    def finish_epoch(self, record: EpochRecord) -> bool:
        """Keep the epoch: the model if it is the best so far (then True), and a checkpoint."""
        for split, figure in (("training", record.train_perplexity), ("dev", record.dev_perplexity)):
            if not math.isfinite(figure):
                raise UserError(f"epoch {record.epoch}: the {split} perplexity is not finite; lower --learning-rate")
        self.history.append(asdict(record))
        improved = self.best["epoch"] == record.epoch
        facts = {"model": self.model, "history": self.history}
        if improved:
            save_parameters(self.folder / "model.npz", self.parameters, facts)
        self.restore_weights()
        save_parameters(self.folder / CHECKPOINT, self.all_parameters, facts)
        return improved

    @property
    def is_at_best(self) -> bool:
        """Whether the parameters at the end of the last epoch are those of the best one, as they were evaluated."""
        return self.best["epoch"] == len(self.history) and not self.changes_weights

    def roll_back(self) -> None:
        """Return to the parameters of the best epoch."""
        from common.training.loading import load_parameters

        load_parameters(self.folder / "model.npz", self.parameters, self.model)
