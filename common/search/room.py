"""Room for a search that may not fit into the memory: only where it needs any, this file is loaded."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from common.memory import AT_ONCE, NUMBER, POOLS, Footprint, fits, limit
from common.memory_limit import check_rows


class Room:
    """How much of the memory the graph of a search has taken: it grows with every step, until the state moves on.

    Only numbers cross over from one graph to the next, so no result changes; but the default DyNet hands them over one
    by one, and so a search moves as seldom as the memory allows.
    """

    def __init__(self, footprint: Footprint, source: int):
        """source: how many positions a step attends to; 0 for a model that attends to its own past."""
        self.footprint, self.source = footprint, source
        self.used = self.steps = 0

    def __call__(self, state: Any, rows: int) -> Any:
        """The state in a graph that has room for one more step of so many rows."""
        self.steps += 1
        step = rows * bytes_of_step(self.footprint, self.source or self.steps)
        if self.used + step > AT_ONCE and self.used:
            from common.search import moving

            state, self.used = moving.moved(state), 0
        self.used += step
        return state


def new_graph(state: Any, rows: int) -> Any:
    """The state, of plain numbers, before a step in a graph of its own, where DyNet is in use at all."""
    if "dynet" in sys.modules:
        sys.modules["dynet"].renew_cg()
    return state


def bytes_of_step(footprint: Footprint, positions: int) -> int:
    """What one step of a search takes for each hypothesis (`decoding.bytes_of_search`). positions: that it attends to,
    or could."""
    return POOLS * NUMBER * (4 * footprint.word + positions * (footprint.pair + footprint.kept))


def parts_with_room(
    lengths: Sequence[int], limits: Sequence[int], footprint: Footprint | None, rows: int, batch_size: int, kept: int
) -> Iterator[list[int]]:
    """As `translation.parts_of` says, of sentences of which a whole batch may not fit.

    A batch takes what the model needs for its sources and for a step, and what each step attended to: so many bytes
    are kept of each weight.
    """
    part: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        length = lengths[index]
        needed = rows * kept * length * limits[index]
        if footprint:
            read = POOLS * NUMBER * length * (footprint.source + footprint.kept)
            needed += rows * (read + bytes_of_step(footprint, length))
            if not fits(footprint.model() + needed):
                check_rows(footprint, limit(), needed, f"translating a sentence of {length} words")
        if part and (len(part) == batch_size or (len(part) + 1) * needed > AT_ONCE):
            yield part
            part = []
        part.append(index)
    if part:
        yield part
