"""Room in DyNet's computation graph for the steps of a search: `decoding.room_for` says when they need any."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from common.memory import AT_ONCE


class Room:
    """How much of the memory the graph of a search has taken: it grows with every step, until the state moves on.

    Only numbers cross over from one graph to the next, so no result changes; but the default DyNet hands them over one
    by one, and so a search moves as seldom as the memory allows.
    """

    def __init__(self, bytes_of_row: Callable[[int], int], source: int):
        """bytes_of_row: what a step takes for each row, by the number of positions that it attends to. source: how many
        these are; 0 for a model that attends to its own past."""
        self.bytes_of_row, self.source = bytes_of_row, source
        self.used = self.steps = 0

    def __call__(self, state: Any, rows: int) -> Any:
        """The state in a graph that has room for one more step of so many rows."""
        self.steps += 1
        step = rows * self.bytes_of_row(self.source or self.steps)
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
