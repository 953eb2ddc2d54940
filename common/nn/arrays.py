"""How arrays enter a computation graph, and how the states of recurrent layers go on from one graph to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dynet as dy
import numpy as np

Carried = list[list[np.ndarray]]
"""The numbers of a list of states, one per layer: what a later computation graph can go on from."""


def input_batch(array: np.ndarray) -> dy.Expression:
    """An array whose last axis is the batch, as an expression; DyNet's own `batched` refuses a batch of one."""
    return dy.reshape(dy.inputTensor(array.ravel(order="F")), array.shape[:-1], array.shape[-1])


def detach(states: Sequence[Any]) -> Carried:
    """The numbers of states, each (hidden, batch), to go on from in another graph."""
    return [[part.npvalue().reshape(part.dim()[0][0], -1, order="F") for part in state] for state in states]


def attach(carried: Carried | None, layers: Sequence[Any]) -> list[Any] | None:
    """Carried numbers as the states of these layers, without a way back for gradients; None is the zero state."""
    if carried is None:
        return None
    pairs = zip(layers, carried, strict=True)
    return [layer.state_type(*map(input_batch, arrays)) for layer, arrays in pairs]
