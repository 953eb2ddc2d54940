"""The position of a word: attention alone sees a bag of words, so that order has to be put into the vectors.

Learnt and sinusoidal positions are added to the embeddings. Rotary positions turn queries and keys instead (Su et al.
2021): positions then affect a score only through the distance between them.

Letters in the shapes: H hidden size, D size of a head, T positions, B sentences in the batch.
"""

from __future__ import annotations

from collections.abc import Callable

import dynet as dy
import numpy as np

from common.nn.softmax import embed

LONGEST_WAVE = 10_000
"""The slowest wave repeats after about 2 pi times as many positions."""
TABLE = 256
"""Rows of the learnt table. Later positions share its last row."""


class Learnt:
    """A vector for each position, learnt like an embedding: table (256, H)."""

    def __init__(self, collection: dy.ParameterCollection, size: int, init_scale: float):
        self.table = collection.add_parameters((TABLE, size), init=dy.UniformInitializer(init_scale))

    def __call__(self, first: int, time: int) -> dy.Expression:
        """The vectors of `time` positions from `first` on, (H, T), as large as scaled embeddings."""
        size = self.table.shape()[1]
        rows = [min(position, TABLE - 1) for position in range(first, first + time)]
        return dy.reshape(embed(self.table, rows), (size, time)) * size**0.5


class Sinusoidal:
    """Sines and cosines of falling frequency, without parameters (Vaswani et al. 2017, section 3.5)."""

    def __init__(self, collection: dy.ParameterCollection, size: int, init_scale: float):
        self.size = size

    def __call__(self, first: int, time: int) -> dy.Expression:
        """The vectors of `time` positions from `first` on: (H, T)."""
        return dy.inputTensor(sinusoids(self.size, first, time))


def angles(size: int, first: int, time: int) -> np.ndarray:
    """position / 10000^(2i / H) of the pair i of numbers that each row belongs to: (H, T)."""
    pairs = np.arange(size) // 2
    return np.arange(first, first + time) / LONGEST_WAVE ** (2 * pairs[:, None] / size)


def sinusoids(size: int, first: int, time: int) -> np.ndarray:
    """The sine of the angle in even rows, the cosine in odd rows: (H, T)."""
    even = np.arange(size)[:, None] % 2 == 0
    turns = angles(size, first, time)
    return np.where(even, np.sin(turns), np.cos(turns))


def rotate(x: dy.Expression, heads: int, first: int) -> dy.Expression:
    """Each pair of numbers of a head turned by its angle at its position (Su et al. 2021, Eq. 15): (H, T) x B.

    The pair (a, b) becomes (a cos - b sin, b cos + a sin). Two vectors that are turned by m and n angles have the
    dot product of two that are turned by m - n.
    """
    (size, time), _ = x.dim()
    turns = np.tile(angles(size // heads, first, time), (heads, 1))
    quarter = np.kron(np.eye(size // 2), [[0, -1], [1, 0]])  # (a, b) becomes (-b, a)
    turned = dy.inputTensor(quarter) * x
    return dy.cmult(x, dy.inputTensor(np.cos(turns))) + dy.cmult(turned, dy.inputTensor(np.sin(turns)))


POSITIONS: dict[str, tuple[Callable | None, Callable | None]] = {
    "sinusoidal": (Sinusoidal, None),
    "learnt": (Learnt, None),
    "rotary": (None, rotate),
    "none": (None, None),
}
"""The choices of --positions: what makes the vectors that are added to embeddings, and what turns queries and keys."""
