"""How the learning rate falls: the choices of --schedule."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from common.errors import UserError


@dataclass(frozen=True)
class Schedule:
    """The learning rate at a point of a run: one of `SCHEDULES`, with what it needs to know.

    rate: at the beginning, or at the end of a warm-up, the epochs in which it rises evenly from 0. epochs: of the whole
    run. decay, start: see the schedules that use them.
    Raises `UserError` for a kind that is not in `SCHEDULES`.
    """

    kind: str
    rate: float
    epochs: int
    decay: float = 1.0
    start: int = 0
    warm_up: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in SCHEDULES:
            raise UserError(f"--schedule {self.kind}: choose from {', '.join(SCHEDULES)}")

    @classmethod
    def from_settings(cls, settings: Any) -> Schedule:
        """The schedule that the flags of a program describe (`GradientSettings`)."""
        fall = settings.epochs, settings.decay, settings.decay_start
        return cls(settings.schedule, settings.learning_rate, *fall, settings.warm_up)

    def __call__(self, epochs_done: float, history: Sequence[dict]) -> float:
        """The rate after so many epochs, whole or in part. history: the records of the finished ones."""
        rise = min(epochs_done / self.warm_up, 1) if self.warm_up else 1
        return rise * SCHEDULES[self.kind](self, epochs_done, history)


def cosine(schedule: Schedule, epochs_done: float, history: Sequence[dict]) -> float:
    """Falls along half a cosine from `rate` to 0 at the end of the last of `epochs`."""
    return schedule.rate * 0.5 * (1 + math.cos(math.pi * min(epochs_done / schedule.epochs, 1)))


def decay(schedule: Schedule, epochs_done: float, history: Sequence[dict]) -> float:
    """rate * decay^max(epoch - start, 0), epochs counted from 0: epoch `start` is the last at the whole rate. This is
    the formula of the code that Salton et al. (2017) published."""
    return schedule.rate * schedule.decay ** max(math.floor(epochs_done) - schedule.start, 0)


def plateau(schedule: Schedule, epochs_done: float, history: Sequence[dict]) -> float:
    """rate * decay^k after k epochs that did not improve the likelihood of dev (Neubig 2017, section 4.2). Such an
    epoch has a dev perplexity no lower than that of the epoch before."""
    perplexities = [record["dev_perplexity"] for record in history]
    no_better = sum(after >= before for before, after in itertools.pairwise(perplexities))
    return schedule.rate * schedule.decay**no_better


def inverse_root(schedule: Schedule, epochs_done: float, history: Sequence[dict]) -> float:
    """Falls with the root of the epochs after the warm-up, or after the first epoch where there is none. With a warm-up
    this is Vaswani et al. 2017, Eq. 3, whose largest rate is a function of it."""
    whole = schedule.warm_up or 1
    return schedule.rate * (whole / max(epochs_done, whole)) ** 0.5


def constant(schedule: Schedule, epochs_done: float, history: Sequence[dict]) -> float:
    """Always `rate`."""
    return schedule.rate


SCHEDULES = {schedule.__name__: schedule for schedule in (cosine, decay, plateau, inverse_root, constant)}
"""The choices of --schedule."""
DECAY_HELP = "factor of --schedule decay after each epoch; of plateau, after an epoch without progress on dev"
DECAY_START_HELP = "last epoch at the full rate with --schedule decay, the first epoch being 0"
