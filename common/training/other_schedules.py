"""The choices of --schedule but for the cosine, each a function of the schedule, the epochs done and their records."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any


def decay(schedule: Any, epochs_done: float, history: Sequence[dict]) -> float:
    """rate * decay^max(epoch - start, 0), epochs counted from 0: epoch `start` is the last at the whole rate. This is
    the formula of the code that Salton et al. (2017) published."""
    return schedule.rate * schedule.decay ** max(math.floor(epochs_done) - schedule.start, 0)


def plateau(schedule: Any, epochs_done: float, history: Sequence[dict]) -> float:
    """rate * decay^k after k epochs that did not improve the likelihood of dev (Neubig 2017, section 4.2). Such an
    epoch has a dev perplexity no lower than that of the epoch before."""
    perplexities = [record["dev_perplexity"] for record in history]
    no_better = sum(after >= before for before, after in itertools.pairwise(perplexities))
    return schedule.rate * schedule.decay**no_better


def inverse_root(schedule: Any, epochs_done: float, history: Sequence[dict]) -> float:
    """Falls with the root of the epochs after the warm-up, or after the first epoch where there is none. With a warm-up
    this is Vaswani et al. 2017, Eq. 3, whose largest rate is a function of it."""
    whole = schedule.warm_up or 1
    return schedule.rate * (whole / max(epochs_done, whole)) ** 0.5


def constant(schedule: Any, epochs_done: float, history: Sequence[dict]) -> float:
    """Always `rate`."""
    return schedule.rate
