"""Room for a search that may not fit into the memory: only where it needs any, this file is loaded."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from common.errors import UserError
from common.memory import AT_ONCE, NUMBER, POOLS, Footprint, fits, limit
from common.memory_limit import check_rows, gigabytes
from common.text.dividing import in_parts, sizes_of

GRAPH = AT_ONCE
"""Bytes that the graph of a search may have."""
WEIGHT = 32
"""Bytes of a weight of attention while a batch is read, of two attentions together."""
SHOWN_WEIGHT = 120
"""Bytes of the same on the page that shows it, before it is written."""


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
        if self.used + step > GRAPH and self.used:
            from common.search import moving

            state, self.used = moving.moved(state), 0
        self.used += step
        return state


def room_for(model: Any, rows: int, steps: int) -> Callable[[Any, int], Any]:
    """As `decoding.room_for` says.

    A model may say what it takes (`footprint`) and how many source words it attends to (`source_words`); without, it
    attends to its own past.
    """
    if getattr(model, "plain_states", False):
        return new_graph
    footprint, source = getattr(model, "footprint", None), getattr(model, "source_words", 0)
    if footprint and bytes_of_search(footprint, rows, steps, source) > GRAPH:
        return Room(footprint, source)
    return lambda state, rows: state


def new_graph(state: Any, rows: int) -> Any:
    """The state, of plain numbers, before a step in a graph of its own, where DyNet is in use at all."""
    if "dynet" in sys.modules:
        sys.modules["dynet"].renew_cg()
    return state


def bytes_of_step(footprint: Footprint, positions: int) -> int:
    """What one step of a search takes for each hypothesis (`bytes_of_search`). positions: that it attends to,
    or could."""
    return POOLS * NUMBER * (4 * footprint.word + positions * (footprint.pair + footprint.kept))


def bytes_of_search(footprint: Footprint, rows: int, steps: int, source: int) -> int:
    """What so many steps of a search take in one graph, and the reading of the source before them. source: how many
    words it has, all of which a step attends to; 0 for a model that attends to its own past.

    Words that are drawn from are there four times: scores, log P, probabilities, and these once more in blocks.
    """
    step = 4 * footprint.word + (source or steps) * (footprint.pair + footprint.kept)
    return rows * POOLS * NUMBER * (source * (footprint.source + footprint.kept) + steps * step)


def parts_with_room(
    lengths: Sequence[int], limits: Sequence[int], model: Any, rows: int, batch_size: int, kept: int
) -> Iterator[list[int]]:
    """As `translation.parts_of` says, of sentences of which a whole batch may not fit.

    A batch takes what the model needs for its sources and for a step, and what each step attended to: so many bytes
    are kept of each weight.
    """
    footprint, part = getattr(model, "footprint", None), list[int]()
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


def parts_to_show(model: Any, batches: Sequence[Any]) -> list[Any]:
    """Batches of pairs of which it is shown what is attended to, or smaller ones that fit into the memory one by one.
    Raises `UserError` where the weights of all of them together do not fit."""
    lengths = [[mask.sum(axis=0, dtype=int) for mask in (batch.source_mask, batch.target.mask)] for batch in batches]
    needed = SHOWN_WEIGHT * sum(int(sources @ targets) for sources, targets in lengths)
    if not fits(needed):
        raise UserError(
            f"showing what {sum(sizes_of(batch)[0] for batch in batches)} sentences attend to takes up to "
            f"{gigabytes(needed)}, and {gigabytes(limit())} may be used; show fewer (--number)"
        )
    return [part for batch in batches for part in in_parts(batch, rows_to_show(model, batch))]


def rows_to_show(model: Any, batch: Any) -> int:
    """How many pairs of a batch can be read side by side, 1 or more."""
    _, steps, source = sizes_of(batch)
    footprint = getattr(model, "footprint", None)
    read = bytes_of_search(footprint, 1, 1, source) if footprint else 0
    return max(1, AT_ONCE // (WEIGHT * steps * source + read))
