"""The numbers of the instructor's pages: what the exercises take and give, and attention scaled and in two heads."""

from __future__ import annotations

from collections.abc import Iterator

import dynet as dy
import numpy as np

from book.worked.ch08 import ANNOTATIONS, QUERIES, SOURCE, numbers
from common.nn.source_attention import DotScore, Memory, attention_weights, context
from solutions.sets import SOLUTIONS, find_sets


def exercises() -> Iterator[float]:
    """For each chapter its number, its exercises, their minutes and their points; then the sums of the three."""
    rows = []
    for number, one in enumerate(find_sets(SOLUTIONS), start=1):
        tasks = one.tasks.values()
        rows.append([len(tasks), sum(task.minutes for task in tasks), sum(task.points for task in tasks)])
        yield from (number, *rows[-1])
    yield from np.sum(rows, axis=0)


def attend(keys: np.ndarray, query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By chapter 8's functions: the weights (3,) of the rows of keys under the dot score, and their mean."""
    dy.renew_cg()
    memory = Memory.of(DotScore(), dy.inputTensor(keys.T), np.array([len(SOURCE)]))
    found = attention_weights(DotScore(), memory, dy.inputTensor(query))
    return numbers(found), numbers(context(memory, found))


def scaled() -> Iterator[float]:
    """Dot scores of chapter 8's example, over the root of two, and the weights without and with it."""
    query = QUERIES["galin"]
    plain, scores = attend(ANNOTATIONS, query)[0], ANNOTATIONS @ query
    smaller = attend(ANNOTATIONS, query / np.sqrt(2))[0]
    for row in zip(scores, scores / np.sqrt(2), plain, smaller, strict=True):
        yield from row


def two_heads() -> Iterator[float]:
    """Each of the two numbers of a vector as a head of its own: its weights, and its part of the context."""
    query = QUERIES["galin"]
    for part in range(2):
        weights, mean = attend(ANNOTATIONS[:, part : part + 1], query[part : part + 1])
        yield from (*weights, *mean)
    yield from attend(ANNOTATIONS, query)[1]
