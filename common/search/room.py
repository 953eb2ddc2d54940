"""What keeps a search within the memory: its computation graph grows with every step, until its states move to another.

Only numbers cross over from one graph to the next, so no result changes; but the default DyNet hands them over one by
one, and so a search moves as seldom as the memory allows.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from common.memory import AT_ONCE, NUMBER, POOLS, Footprint


class Numbers(NamedTuple):
    """The values of an expression, in DyNet's order, and its shape."""

    values: np.ndarray
    shape: tuple[int, ...]
    batch: int


def bytes_of_step(footprint: Footprint, positions: int) -> int:
    """What one step of a search takes for each hypothesis. positions: that it attends to, or could.

    Words that are drawn from are there four times: scores, log P, probabilities, and these once more in blocks.
    """
    return POOLS * NUMBER * (4 * footprint.word + positions * (footprint.pair + footprint.kept))


def bytes_before(footprint: Footprint, source: int) -> int:
    """What reading a source before the first step takes, for each hypothesis, and the first step itself."""
    return POOLS * NUMBER * source * (footprint.source + footprint.kept) + bytes_of_step(footprint, source)


class Room:
    """How much of the memory the graph of a search has taken.

    A model may say what it takes (`footprint`) and how many source words it attends to (`source_words`); without, it
    attends to its own past. A model whose states are all plain numbers (`plain_states`) has a new graph every step.
    """

    def __init__(self, model: Any):
        self.plain = getattr(model, "plain_states", False)
        self.footprint, self.source = getattr(model, "footprint", None), getattr(model, "source_words", 0)
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
            state, self.used = moved(state, dynet), 0
        self.used += step
        return state


def moved(state: Any, dynet: Any) -> Any:
    """The same state in a new computation graph; expressions and states of earlier graphs are void."""
    numbers = mapped(state, dynet.Expression, read)
    dynet.renew_cg()
    return mapped(numbers, Numbers, lambda one: written(one, dynet))


def mapped(state: Any, kind: type, change: Any) -> Any:
    """A state with everything of this kind changed that its tuples and lists contain."""
    if isinstance(state, kind):
        return change(state)
    if isinstance(state, list):
        return [mapped(part, kind, change) for part in state]
    if isinstance(state, tuple):
        parts = [mapped(part, kind, change) for part in state]
        return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    return state


def read(expression: Any) -> Numbers:
    """float32, in which DyNet computes, so that nothing is lost."""
    shape, batch = expression.dim()
    return Numbers(expression.npvalue().astype(np.float32).ravel(order="F"), shape, batch)


def written(numbers: Numbers, dynet: Any) -> Any:
    return dynet.reshape(dynet.inputTensor(numbers.values), numbers.shape, numbers.batch)
