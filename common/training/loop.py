"""The progress of a training run, through the batches of an epoch (`Meter`) and from epoch to epoch (`Training`); the
loop itself stands in each chapter's train.py.

Everything random in an epoch follows from the seed and the epoch's number, so a run that is killed and resumed ends
with the figures of one that was not.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from tqdm import tqdm

from common.errors import UserError
from common.evaluation.perplexity import perplexity
from common.training.checkpoint import (
    CHECKPOINT,
    CombinedParameters,
    Parameters,
    can_resume,
    check_loss,
    save_parameters,
)

MEASURED_BATCHES, LONG_EPOCH = 2, 120
"""From how many batches the length of an epoch is estimated, and from how many seconds on one is told of it."""


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


class Meter:
    """Goes through the batches of an epoch with a progress bar, and adds up their losses. `epochs_done` is the progress
    of training at the current batch, in epochs: the argument of a `Schedule`."""

    def __init__(self, epoch: int, batches: Sequence[Any]):
        self.epoch, self.batches = epoch, batches
        self.epochs_done = epoch - 1.0
        self.loss, self.predictions, self.seconds = 0.0, 0, 0.0
        self.after_batches: Sequence[Callable[[], None]] = ()

    def __iter__(self) -> Iterator[Any]:
        started = time.perf_counter()
        self.progress = tqdm(self.batches, desc=f"epoch {self.epoch}", unit="batch", leave=False, disable=None)
        for number, batch in enumerate(self.progress):
            self.epochs_done = self.epoch - 1 + number / len(self.batches)
            yield batch
            if number + 1 == MEASURED_BATCHES and self.epoch == 1 and self.predictions:
                self.tell_cost(time.perf_counter() - started)
        self.seconds = time.perf_counter() - started
        for action in self.after_batches:
            action()

    def add(self, loss: float, predictions: int) -> None:
        """Count a batch: its summed loss in nats and its real predictions. Raises `UserError` for a loss not finite."""
        self.loss += check_loss(loss, self.epoch)
        self.predictions += predictions
        self.progress.set_postfix(perplexity=f"{perplexity(-self.loss, self.predictions):.1f}", refresh=False)

    def tell_cost(self, seconds: float) -> None:
        """Say what an epoch costs, from what the batches so far have taken, if that is long."""
        whole = sum(getattr(batch, "target", batch).predictions for batch in self.batches)  # of pairs: their targets
        cost = seconds / self.predictions * whole
        if cost > LONG_EPOCH:
            seen = f"judging by its first {MEASURED_BATCHES} of {len(self.batches):,} batches"
            self.progress.clear()
            print(f"an epoch takes about {cost / 60:,.0f} minutes, {seen}, plus the evaluation on dev", flush=True)

    def record(self, dev_perplexity: float, learning_rate: float) -> EpochRecord:
        """What the epoch left behind, once its batches are done."""
        train_perplexity = perplexity(-self.loss, self.predictions)
        return EpochRecord(self.epoch, train_perplexity, dev_perplexity, learning_rate, self.predictions, self.seconds)


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
