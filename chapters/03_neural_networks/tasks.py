"""What the networks learn: points of the plane, each labelled 1 or -1."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

DATA_SEED = 2017
"""The points are the same in every run: --seed decides where training starts, not what is learnt."""
SIZE = 400
"""Points in each split of a task that is drawn at random."""


class Split(NamedTuple):
    """Points, a column each, (2, N), and their labels, (1, N)."""

    x: np.ndarray
    targets: np.ndarray


class Task(NamedTuple):
    """A name and two splits."""

    name: str
    train: Split
    test: Split


def equality() -> Split:
    """1 where both numbers are equal, -1 where not: all four points that there are (Neubig 2017, Figure 7)."""
    x = np.array([[1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0]])
    return Split(x, x[:1] * x[1:])


def rings(rng: np.random.Generator, size: int = SIZE, noise: float = 0.1) -> Split:
    """A disc, labelled 1, inside a ring, labelled -1."""
    targets = labels(size)
    radius = np.where(targets > 0, 0.6 * np.sqrt(rng.random((1, size))), 1.1 + noise * rng.normal(size=(1, size)))
    return polar(radius, 2 * np.pi * rng.random((1, size)), targets)


def spirals(rng: np.random.Generator, size: int = SIZE, noise: float = 0.03, turns: float = 1.5) -> Split:
    """Two arms that wind round each other, the second the first turned by half a circle."""
    targets = labels(size)
    along = np.sqrt(rng.random((1, size)))  # the root spreads the points evenly over the length of an arm
    arms = polar(0.1 + 1.1 * along, 2 * np.pi * turns * along + np.pi * (targets < 0), targets)
    return Split(arms.x + noise * rng.normal(size=arms.x.shape), targets)


def labels(size: int) -> np.ndarray:
    """1 and -1 in turn: (1, size)."""
    return np.where(np.arange(size) % 2 == 0, 1.0, -1.0)[None]


def polar(radius: np.ndarray, angle: np.ndarray, targets: np.ndarray) -> Split:
    """Points given by radius and angle, each (1, N)."""
    return Split(np.concatenate([radius * np.cos(angle), radius * np.sin(angle)]), targets)


TASKS: dict[str, Callable[[np.random.Generator], Split]] = {
    "equality": lambda rng: equality(),  # nothing is drawn: the four points are both splits
    "rings": rings,
    "spirals": spirals,
}
"""The choices of --task: what draws a split."""


def make_task(name: str) -> Task:
    """A name of `TASKS`, and both splits."""
    rng = np.random.default_rng(DATA_SEED)
    return Task(name, TASKS[name](rng), TASKS[name](rng))
