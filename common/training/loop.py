"""What a training loop is made of: learning-rate schedules, progress, early stopping, checkpoints.

The loop itself stands in each chapter's train.py. An epoch is the unit that is never lost: after each,
`Training.finish_epoch` writes a checkpoint. Everything random in an epoch follows from the seed and the
epoch's number, so a run that is killed and resumed ends with the figures of one that was not.
"""

from __future__ import annotations

import itertools
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from tqdm import tqdm

from common.errors import UserError
from common.evaluation.perplexity import perplexity
from common.files import reading
from common.text.vocab import Vocabulary
from common.training.checkpoint import Parameters, Together, load_parameters, save_parameters

T = TypeVar("T")


@dataclass(frozen=True)
class Schedule:
    """The learning rate at a point of a run: one of `SCHEDULES`, with what it needs to know.

    rate: at the beginning. epochs: of the whole run. decay, start: see the schedules that use them.
    Raises `UserError` for a kind that is not in `SCHEDULES`.
    """

    kind: str
    rate: float
    epochs: int
    decay: float = 1.0
    start: int = 0

    def __post_init__(self) -> None:
        if self.kind not in SCHEDULES:
            raise UserError(f"--schedule {self.kind}: choose from {', '.join(SCHEDULES)}")

    @classmethod
    def from_settings(cls, settings: Any) -> Schedule:
        """The schedule that the flags of a program describe (`neural_settings.GradientSettings`)."""
        return cls(settings.schedule, settings.learning_rate, settings.epochs, settings.decay, settings.decay_start)

    def __call__(self, epochs_done: float, history: Sequence[dict]) -> float:
        """The rate after so many epochs, whole or in part. history: the records of the finished ones."""
        return SCHEDULES[self.kind](self, epochs_done, history)


def cosine(schedule: Schedule, epochs_done: float, history: Sequence[dict]) -> float:
    """Falls along half a cosine from `rate` to 0 at the last of `epochs`."""
    return schedule.rate * 0.5 * (1 + math.cos(math.pi * min(epochs_done / schedule.epochs, 1)))


def decay(schedule: Schedule, epochs_done: float, history: Sequence[dict]) -> float:
    """rate * decay^max(epoch - start, 0), epochs counted from 0: epoch `start` is the last at the whole rate.

    This is the formula of the code that Salton et al. (2017) published.
    """
    return schedule.rate * schedule.decay ** max(math.floor(epochs_done) - schedule.start, 0)


def plateau(schedule: Schedule, epochs_done: float, history: Sequence[dict]) -> float:
    """rate * decay^k after k epochs that did not improve the likelihood of dev (Neubig 2017, section 4.2).

    Such an epoch has a dev perplexity no lower than that of the epoch before.
    """
    perplexities = [record["dev_perplexity"] for record in history]
    no_better = sum(after >= before for before, after in itertools.pairwise(perplexities))
    return schedule.rate * schedule.decay**no_better


def constant(schedule: Schedule, epochs_done: float, history: Sequence[dict]) -> float:
    """Always `rate`."""
    return schedule.rate


SCHEDULES: dict[str, Callable[[Schedule, float, Sequence[dict]], float]] = {
    "cosine": cosine,
    "decay": decay,
    "plateau": plateau,
    "constant": constant,
}
"""The choices of --schedule."""
DECAY_HELP = "factor of --schedule decay after each epoch, of plateau after one no better on dev"
DECAY_START_HELP = "last epoch at the whole rate with --schedule decay, the first epoch being 0"


def epoch_rng(seed: int, epoch: int) -> np.random.Generator:
    """The random numbers of one epoch: NumPy's (the order) returned, DyNet's (dropout) reset where it is in use."""
    rng = np.random.default_rng([seed, epoch])
    dynet_seed = int(rng.integers(1, 2**31))
    if "dynet" in sys.modules:
        sys.modules["dynet"].reset_random_seed(dynet_seed)
    return rng


def log_frequencies(sentences: Sequence[Sequence[int]], vocabulary_size: int) -> np.ndarray:
    """log P(word) of a unigram model with one added to every count, `</s>` included: (V,), in nats.

    As the starting bias of an output layer it spares the optimiser from learning what counting tells.
    """
    counts = np.ones(vocabulary_size)
    np.add.at(counts, np.concatenate([np.asarray(sentence) for sentence in sentences]), 1)
    counts[Vocabulary.boundary] += len(sentences)
    return np.log(counts / counts.sum())


def no_frequencies(sentences: Sequence[Sequence[int]], vocabulary_size: int) -> None:
    """Nothing to start from: the bias is zero."""


START_BIASES: dict[str, Callable[[Sequence[Sequence[int]], int], np.ndarray | None]] = {
    "unigram": log_frequencies,
    "zero": no_frequencies,
}
"""The choices of --bias: what an output bias starts from."""


def check_loss(loss: float, epoch: int) -> float:
    """Raises `UserError` where the loss is not finite: DyNet cannot go on in the same process after that."""
    if not math.isfinite(loss):
        raise UserError(
            f"epoch {epoch}: the loss is {loss}; lower --learning-rate (the checkpoint before this epoch is kept)"
        )
    return loss


@dataclass
class Training:
    """How far a training is: one record an epoch, and which epoch's model was the best on dev.

    Early stopping: `epochs_left` ends after `patience` epochs without a better dev perplexity, and
    `roll_back` returns to the best model. beside: what else a checkpoint holds, so that all of it goes on from the same
    epoch: what the optimiser remembers, and a model that is trained together with this one.
    """

    folder: Path
    parameters: Parameters
    model: str
    history: list[dict] = field(default_factory=list)
    beside: Sequence[Parameters] = ()

    @classmethod
    def begin(cls, folder: Path, parameters: Parameters, model: str, resume: bool, *beside: Parameters) -> Training:
        """A new training of the model of this name, or with `resume` the one whose checkpoint lies in `folder`."""
        training = cls(folder, parameters, model, beside=beside)
        if resume and training.checkpoint.exists():
            facts = load_parameters(training.checkpoint, training.together, model)
            with reading(training.checkpoint, "no such file", "its epochs are damaged; take another copy"):
                training.history = [asdict(EpochRecord(**record)) for record in facts["history"]]
        return training

    @property
    def together(self) -> Parameters:
        """All that a checkpoint holds."""
        return Together([self.parameters, *self.beside])

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint.npz"

    @property
    def best(self) -> dict:
        """The record of the best epoch so far (the first, among equals)."""
        return min(self.history, key=lambda record: record["dev_perplexity"])

    def epochs_left(self, epochs: int, patience: int) -> Iterator[int]:
        """The numbers of the epochs to come, from 1; stops when patience is at an end."""
        while len(self.history) < epochs:
            if self.history and len(self.history) - self.best["epoch"] >= patience:
                return
            yield len(self.history) + 1

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
        save_parameters(self.checkpoint, self.together, facts)
        return improved

    def roll_back(self) -> None:
        """Return to the parameters of the best epoch."""
        load_parameters(self.folder / "model.npz", self.parameters, self.model)


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
    """Goes through the batches of an epoch with a progress bar, and adds up what they cost.

    `epochs_done` says how far the training is, in epochs, at the batch at hand: what a `Schedule` asks for.
    """

    def __init__(self, epoch: int, batches: Sequence[T]):
        self.epoch, self.batches = epoch, batches
        self.epochs_done = epoch - 1.0
        self.loss, self.predictions, self.seconds = 0.0, 0, 0.0

    def __iter__(self) -> Iterator[T]:
        started = time.perf_counter()
        self.progress = tqdm(self.batches, desc=f"epoch {self.epoch}", unit="batch", leave=False, disable=None)
        for number, batch in enumerate(self.progress):
            self.epochs_done = self.epoch - 1 + number / len(self.batches)
            yield batch
        self.seconds = time.perf_counter() - started

    def add(self, loss: float, predictions: int) -> None:
        """Count a batch: its summed loss in nats and its real predictions. Raises `UserError` for a loss not finite."""
        self.loss += check_loss(loss, self.epoch)
        self.predictions += predictions
        self.progress.set_postfix(perplexity=f"{perplexity(-self.loss, self.predictions):.1f}", refresh=False)

    def record(self, dev_perplexity: float, learning_rate: float) -> EpochRecord:
        """What the epoch left behind, once its batches are done."""
        train_perplexity = perplexity(-self.loss, self.predictions)
        return EpochRecord(self.epoch, train_perplexity, dev_perplexity, learning_rate, self.predictions, self.seconds)
