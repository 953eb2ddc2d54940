"""What a training loop is made of: optimiser, learning-rate schedules, early stopping, checkpoints.

The loop itself stands in each chapter's train.py. An epoch is the unit that is never lost: after each,
`Training.finish_epoch` writes a checkpoint. Everything random in an epoch follows from the seed and the
epoch's number, so a run that is killed and resumed ends with the figures of one that was not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import dynet as dy
import numpy as np

from common.checkpoint import load_parameters, save_parameters
from common.errors import UserError
from common.vocab import Vocabulary


@dataclass(frozen=True)
class Schedule:
    """The learning rate at a point of the training, measured in epochs.

    constant: `rate`. decay: rate * decay^max(epoch - start, 0) with epochs counted from 0 (Salton et al.
    2017, section 4). cosine: falls along half a cosine from `rate` to 0 at the last of `epochs`.
    """

    kind: str
    rate: float
    epochs: int
    decay: float = 1.0
    start: int = 0

    def __call__(self, epochs_done: float) -> float:
        if self.kind == "decay":
            return self.rate * self.decay ** max(math.floor(epochs_done) - self.start, 0)
        if self.kind == "cosine":
            return self.rate * 0.5 * (1 + math.cos(math.pi * min(epochs_done / self.epochs, 1)))
        return self.rate


def make_optimiser(kind: str, collection: dy.ParameterCollection, clip: float, epsilon: float = 1e-8) -> dy.Trainer:
    """An optimiser that clips the gradient's global norm at `clip` (0: no clipping).

    epsilon: what Adam adds to the root of its running mean of squares. Gradients much smaller than it hardly count.

    Made anew for each epoch: DyNet's Python interface cannot save Adam's running means, so they start afresh with
    the epoch, in an uninterrupted run as in a resumed one.
    """
    optimiser = dy.AdamTrainer(collection, eps=epsilon) if kind == "adam" else dy.SimpleSGDTrainer(collection)
    optimiser.set_clip_threshold(clip)
    return optimiser


def epoch_rng(seed: int, epoch: int) -> np.random.Generator:
    """The random numbers of one epoch: DyNet's (dropout) are reset, NumPy's (the order) returned."""
    rng = np.random.default_rng([seed, epoch])
    dy.reset_random_seed(int(rng.integers(1, 2**31)))
    return rng


def log_frequencies(sentences: Sequence[Sequence[int]], vocabulary_size: int) -> np.ndarray:
    """log P(word) of a unigram model with one added to every count, `</s>` included: (V,), in nats.

    As the starting bias of an output layer it spares the optimiser from learning what counting tells.
    """
    counts = np.ones(vocabulary_size)
    np.add.at(counts, np.concatenate([np.asarray(sentence) for sentence in sentences]), 1)
    counts[Vocabulary.boundary] += len(sentences)
    return np.log(counts / counts.sum())


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
    `roll_back` returns to the best model.
    """

    folder: Path
    collection: dy.ParameterCollection
    model: str
    history: list[dict] = field(default_factory=list)

    @classmethod
    def begin(cls, folder: Path, collection: dy.ParameterCollection, model: str, resume: bool) -> Training:
        """A new training, or with `resume` the one whose last checkpoint lies in `folder`."""
        training = cls(folder, collection, model)
        if resume and training.checkpoint.exists():
            training.history = load_parameters(training.checkpoint, collection, model)["history"]
        return training

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
            save_parameters(self.folder / "model.npz", self.collection, facts)
        save_parameters(self.checkpoint, self.collection, facts)
        return improved

    def roll_back(self) -> None:
        """Return to the parameters of the best epoch."""
        load_parameters(self.folder / "model.npz", self.collection, self.model)


@dataclass(frozen=True)
class EpochRecord:
    """What an epoch left behind. The training perplexity is that of a changing model, with dropout."""

    epoch: int
    train_perplexity: float
    dev_perplexity: float
    learning_rate: float
    predictions: int
    seconds: float
