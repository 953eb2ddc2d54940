"""What a training loop is made of: learning-rate schedules, where biases start, progress, and the flags for them.

The loop itself stands in each chapter's train.py. Everything random in an epoch follows from the seed and the epoch's
number, so a run that is killed and resumed ends with the figures of one that was not.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from tqdm import tqdm

from common.errors import UserError
from common.evaluation.perplexity import perplexity
from common.memory import READ, TRAINED
from common.nn.dropout import DROPOUT_KINDS, Dropout
from common.nn.optimiser import OPTIMISERS
from common.runtime import seed_dynet
from common.text.vocab import Vocabulary
from common.training.checkpoint import EpochRecord
from common.training.cli import CheckedSettings, LanguageModelSettings, setting

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
        """The schedule that the flags of a program describe (`GradientSettings`)."""
        return cls(settings.schedule, settings.learning_rate, settings.epochs, settings.decay, settings.decay_start)

    def __call__(self, epochs_done: float, history: Sequence[dict]) -> float:
        """The rate after so many epochs, whole or in part. history: the records of the finished ones."""
        return SCHEDULES[self.kind](self, epochs_done, history)


def cosine(schedule: Schedule, epochs_done: float, history: Sequence[dict]) -> float:
    """Falls along half a cosine from `rate` to 0 at the end of the last of `epochs`."""
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


SCHEDULES = {schedule.__name__: schedule for schedule in (cosine, decay, plateau, constant)}
"""The choices of --schedule."""
DECAY_HELP = "factor of --schedule decay after each epoch, of plateau after one no better on dev"
DECAY_START_HELP = "last epoch at the whole rate with --schedule decay, the first epoch being 0"


def epoch_rng(seed: int, epoch: int) -> np.random.Generator:
    """The random numbers of one epoch: NumPy's (the order) returned, DyNet's (dropout) reset where it is in use."""
    rng = np.random.default_rng([seed, epoch])
    dynet_seed = int(rng.integers(1, 2**31))
    seed_dynet(dynet_seed)
    return rng


def log_frequencies(sentences: Sequence[Sequence[int]], vocabulary_size: int) -> np.ndarray:
    """log P(word) of a unigram model with one added to every count, `</s>` included: (V,), in nats.

    As the starting bias of an output layer it spares the optimiser from learning what counting can give.
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
    """The loss. Raises `UserError` where it is not finite: DyNet cannot go on in the same process after that."""
    if not math.isfinite(loss):
        raise UserError(f"epoch {epoch}: the loss is {loss}; the steps are too large; lower --learning-rate")
    return loss


MEASURED_BATCHES = 2
"""From which the length of an epoch is estimated."""
LONG_EPOCH = 120
"""Seconds of an epoch of which one is told beforehand."""


def predictions_of(batch: Any) -> int:
    """The real predictions of a batch of sentences or of pairs."""
    return getattr(batch, "target", batch).predictions


class Meter:
    """Goes through the batches of an epoch with a progress bar, and adds up their losses.

    `epochs_done` is the progress of training at the current batch, in epochs: the argument of a `Schedule`.
    """

    def __init__(self, epoch: int, batches: Sequence[T]):
        self.epoch, self.batches = epoch, batches
        self.epochs_done = epoch - 1.0
        self.loss, self.predictions, self.seconds = 0.0, 0, 0.0
        self.after_batches: Sequence[Callable[[], None]] = ()

    def __iter__(self) -> Iterator[T]:
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
        whole = sum(predictions_of(batch) for batch in self.batches)
        cost = seconds / self.predictions * whole
        if cost > LONG_EPOCH:
            seen = f"by its first {MEASURED_BATCHES} of {len(self.batches):,} batches"
            self.progress.clear()
            print(f"an epoch takes about {cost / 60:,.0f} minutes, {seen}, and then the evaluation on dev", flush=True)

    def record(self, dev_perplexity: float, learning_rate: float) -> EpochRecord:
        """What the epoch left behind, once its batches are done."""
        train_perplexity = perplexity(-self.loss, self.predictions)
        return EpochRecord(self.epoch, train_perplexity, dev_perplexity, learning_rate, self.predictions, self.seconds)


@dataclass(frozen=True)
class GradientSettings(CheckedSettings):
    """The flags of every model of text that is trained by gradients on DyNet."""

    layers: int = setting(1, "hidden layers", minimum=1)
    hidden_size: int = setting(128, "size of embeddings and hidden layers", minimum=1)
    dropout: float = setting(0.2, "share of non-recurrent connections dropped in training", minimum=0, maximum=0.95)
    init_scale: float = setting(0.1, "weights start uniform in plus or minus this", minimum=1e-6)
    bias: str = setting("unigram", "start of the output bias: log frequencies, or zero", choices=START_BIASES)
    optimiser: str = setting("adam", "how parameters move", choices=OPTIMISERS)
    epsilon: float = setting(1e-8, "Adam's epsilon: smaller gradients hardly count", minimum=1e-15)
    learning_rate: float = setting(0.004, "size of a step at the beginning", minimum=1e-9)
    schedule: str = setting("cosine", "how the learning rate falls", choices=SCHEDULES)
    decay: float = setting(0.5, DECAY_HELP, minimum=0, maximum=1)
    decay_start: int = setting(12, DECAY_START_HELP, minimum=0)
    clip: float = setting(5.0, "largest norm of the gradient of (summed loss / batch size); 0: no limit", minimum=0)
    patience: int = setting(10, "epochs without a better dev perplexity before stopping", minimum=1)
    data_parallel: bool = setting(False, "share each batch out among the processes that mpirun has started")
    average_every: int = setting(0, "with --data-parallel: average after N steps; 0: sum gradients", 0, 1_000_000)

    def most_words(self, longest: int) -> int:
        """How many predictions of one sentence are trained on together, where the longest sentence has so many."""
        return longest


@dataclass(frozen=True)
class NeuralSettings(GradientSettings, LanguageModelSettings):
    """The flags of every neural language model."""


@dataclass(frozen=True)
class SoftmaxSettings(NeuralSettings):
    """The flags of a language model whose `softmax` may score few words in training: then `scores_few` says so."""

    classes: int = setting(0, "classes of --softmax class; 0: the root of the vocabulary's size", minimum=0)
    samples: int = setting(256, "words drawn per batch for --softmax sampled and nce", minimum=1)
    classes_by, normaliser = "frequency", "one"

    @property
    def start_bias(self) -> Callable[[Sequence[Sequence[int]], int], np.ndarray | None]:
        """What --bias says, or the frequencies that such a softmax is built on."""
        return START_BIASES["unigram" if self.scores_few else self.bias]

    def count_scores(self, words: int) -> int:
        """About how many numbers the output layer computes for each prediction (`memory.Footprint`)."""
        few = 3 * self.samples + 4 * self.hidden_size * words.bit_length()
        return min(words, few) if self.scores_few else words


@dataclass(frozen=True)
class RecurrentSettings(SoftmaxSettings):
    """The flags of a recurrent language model; most keep it from learning its text by heart."""

    dropout_kind: str = setting("zaremba", "a new mask each step, or one mask for a sequence", choices=DROPOUT_KINDS)
    recurrent_share: float = setting(1.0, "variational: recurrent connections drop so much of --dropout", 0, 1)
    weight_decay: float = setting(0.0, "times the learning rate: what a step takes off matrices", 0, 1)
    average_epochs: int = setting(1, "the model is the mean of the ends of so many last epochs", 1, 100)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.learning_rate * self.weight_decay >= 1:
            told = f"--weight-decay {self.weight_decay:g}: times --learning-rate {self.learning_rate:g}"
            raise UserError(f"{told} it must be below 1, or a step takes away all of a matrix")

    @property
    def masks(self) -> Dropout:
        return Dropout(self.dropout, self.dropout_kind, self.recurrent_share)

    @property
    def trained_bytes(self) -> int:
        """Of a parameter in training (`memory.Footprint`)."""
        return TRAINED.get(self.optimiser, READ) + 8 * (self.average_epochs - 1)
