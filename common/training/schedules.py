"""How the learning rate falls: along a cosine, unless --schedule chooses one of `other_schedules`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from common.errors import UserError

SCHEDULES = {name: name for name in ("cosine", "decay", "plateau", "inverse_root", "constant")}
"""The choices of --schedule: the names of functions, the first here and the others in `other_schedules`."""
DECAY_HELP = "factor of --schedule decay after each epoch; of plateau, after an epoch without progress on dev"
DECAY_START_HELP = "last epoch at the full rate with --schedule decay, the first epoch being 0"


@dataclass(frozen=True)
class Schedule:
    """The learning rate at a point of a run: one of `SCHEDULES`, with what it needs to know.

    rate: at the beginning, or at the end of a warm-up, the epochs in which it rises evenly from 0. epochs: of the whole
    run. decay, start: see `other_schedules`. Raises `UserError` for a kind that is not in `SCHEDULES`.
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
        name = SCHEDULES[self.kind]
        if name == "cosine":
            return rise * self.cosine(epochs_done)
        from common.training import other_schedules

        return rise * getattr(other_schedules, name)(self, epochs_done, history)

    def cosine(self, epochs_done: float) -> float:
        """Falls along half a cosine from `rate` to 0 at the end of the last of `epochs`."""
        return self.rate * 0.5 * (1 + math.cos(math.pi * min(epochs_done / self.epochs, 1)))
