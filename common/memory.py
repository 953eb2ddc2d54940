"""What a model and its batches take of the memory, by their sizes. `memory_limit` says how much memory there is.

DyNet keeps every number of a computation graph until the next graph begins. Loaded where `runtime.memory_watched`, or
where --memory is given; a chapter's footprint.py has the sizes of its models.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from common import runtime
from common.errors import process_limit

SAFE = 2**30
"""Bytes that a process takes without looking how many it may take, unless a limit was set for it."""
BASE = 300 * 2**20
"""Bytes of Python, DyNet and the other libraries."""
NUMBER, POOLS = 4, 2
"""Bytes of a number in DyNet, and how often they are taken: a graph that does not fit into the memory of the graphs
before it gets more beside it, and DyNet gives nothing back."""
READ, TRAINED = 80, {"adam": 180}
"""Most bytes for a parameter of a model that is read or trained by SGD, and trained by an optimiser that keeps more.
DyNet itself keeps 8; the rest is needed for a moment, while the default DyNet hands the numbers to Python."""
AT_ONCE = 2 * 2**30
"""What a batch takes at most that is not trained on, where a smaller one is possible: more at once is no faster."""

SHARE, requested = 0.75, 0.0
"""The limit: this share of the machine's memory, unless --memory requests another, in GB."""


class Footprint(NamedTuple):
    """How many numbers a model has, and how many it computes when it reads a sentence.

    parameters: of the model. word: for each prediction. source: for each word of a source sentence. pair: for each step
    and each position that it attends to: of the source, or of its own past where there is no source. kept: for each
    word of a source, what goes on from step to step of a search. trained: bytes for each parameter in training.
    """

    parameters: int
    word: int
    source: int = 0
    pair: int = 0
    kept: int = 0
    trained: int = READ

    def model(self, trained: bool = False) -> int:
        """The bytes that the program and the model take."""
        return BASE + self.parameters * (self.trained if trained else min(self.trained, READ))

    def sentence(self, words: int, source: int = 0, trained: bool = False) -> int:
        """The bytes of one sentence of a batch, with so many predictions and source words. In training every number
        has a gradient."""
        numbers = words * self.word + source * self.source + words * (source or words) * self.pair
        return POOLS * NUMBER * numbers * (2 if trained else 1)

    def rows(self, most: int, words: int, source: int = 0, trained: bool = False) -> int:
        """How many of `most` sentences of this size fit into the memory side by side, 1 or more. Raises `UserError`
        where not even one does."""
        row = self.sentence(words, source, trained)
        if not trained:
            most = max(1, min(most, AT_ONCE // row))
        if fits(self.model(trained) + most * row):
            return most
        from common.memory_limit import rows_at_once

        return min(most, rows_at_once(self, limit(), words, source, trained))


def fits(needed: int) -> bool:
    """Whether this process may take so many bytes."""
    return (needed <= SAFE and not requested and process_limit() == math.inf) or needed <= limit()


def limit() -> int:
    """The most bytes that this process may use."""
    from common.memory_limit import machine_memory

    return int(requested * 2**30 or SHARE * min(machine_memory(), process_limit()))


def set_limit(gigabytes: float) -> None:
    global requested
    requested, runtime.memory_watched = gigabytes, True
