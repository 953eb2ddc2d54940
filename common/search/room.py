"""Room for the steps of a search that may not fit into one computation graph."""

from __future__ import annotations

import sys
from typing import Any

from common.memory import AT_ONCE
from common.search.decoding import bytes_of_step


class Room:
    """How much of the memory the graph of a search has taken: it grows with every step, until the state moves on.

    Only numbers cross over from one graph to the next, so no result changes; but the default DyNet hands them over one
    by one, and so a search moves as seldom as the memory allows.

    A model may say what it takes (`footprint`) and how many source words it attends to (`source_words`); without, it
    attends to its own past. A model whose states are all plain numbers (`plain_states`) has a new graph every step.
    """

    def __init__(self, model: Any):
        self.plain = getattr(model, "plain_states", False)
        self.footprint: Any = getattr(model, "footprint", None)
        self.source = getattr(model, "source_words", 0)
        self.used = self.steps = 0

    def for_step(self, state: Any, rows: int) -> Any:
        """The state in a graph that has room for one more step of so many rows."""
        dynet = sys.modules.get("dynet")
        if dynet is None or (self.footprint is None and not self.plain):
            return state
        if self.plain:
            dynet.renew_cg()
            return state
        self.steps += 1
        step = rows * bytes_of_step(self.footprint, self.source or self.steps)
        if self.used + step > AT_ONCE and self.used:
            from common.search import moving

            state, self.used = moving.moved(state), 0
        self.used += step
        return state
