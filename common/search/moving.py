"""A state of a search in a new computation graph, where the old one has become too large (`room.Room`)."""

from __future__ import annotations

from typing import Any, NamedTuple

import dynet as dy
import numpy as np


class Numbers(NamedTuple):
    """The values of an expression, in DyNet's order, and its shape."""

    values: np.ndarray
    shape: tuple[int, ...]
    batch: int


def moved(state: Any) -> Any:
    """The same state in a new computation graph; expressions and states of earlier graphs are void."""
    numbers = mapped(state, dy.Expression, read)
    dy.renew_cg()
    return mapped(numbers, Numbers, written)


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


def read(expression: dy.Expression) -> Numbers:
    """float32, in which DyNet computes, so that nothing is lost."""
    shape, batch = expression.dim()
    return Numbers(expression.npvalue().astype(np.float32).ravel(order="F"), shape, batch)


def written(numbers: Numbers) -> dy.Expression:
    return dy.reshape(dy.inputTensor(numbers.values), numbers.shape, numbers.batch)
