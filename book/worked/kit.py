"""The numbers of the instructor's pages: what the exercises take and give, and attention scaled and in two heads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from book.lessons.cells import namespace
from solutions.sets import SOLUTIONS, find_sets


def exercises() -> Iterator[float]:
    """For each chapter its number, its exercises, their minutes and their points; then the sums of the three."""
    rows = []
    for number, exercise_set in enumerate(find_sets(SOLUTIONS), start=1):
        tasks = exercise_set.tasks.values()
        rows.append([len(tasks), sum(task.minutes for task in tasks), sum(task.points for task in tasks)])
        yield from (number, *rows[-1])
    yield from np.sum(rows, axis=0)


def attend(keys: np.ndarray, query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The weights (3,) of the rows of keys under the dot score, and their mean."""
    weights = np.exp(keys @ query) / np.exp(keys @ query).sum()
    return weights, weights @ keys


def scaled() -> Iterator[float]:
    """Dot scores of chapter 8's example, over the root of two, and the weights without and with it."""
    h, query = namespace("08")["h"], namespace("08")["to_galin"]
    scores, weights, smaller = h @ query, attend(h, query)[0], attend(h, query / np.sqrt(2))[0]
    for row in zip(scores, scores / np.sqrt(2), weights, smaller, strict=True):
        yield from row


def two_heads() -> Iterator[float]:
    """Each of the two numbers of a vector as a head of its own: its weights, and its part of the context."""
    h, query = namespace("08")["h"], namespace("08")["to_galin"]
    for part in range(2):
        weights, context = attend(h[:, part : part + 1], query[part : part + 1])
        yield from (*weights, *context)
    yield from attend(h, query)[1]
