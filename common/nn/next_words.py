"""What search asks of a model that computes its distributions in DyNet: the best next words, or all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dynet as dy
import numpy as np


class NextWords:
    """`advance` and `advance_best` of a model, from its `next_words(state, words)`.

    That reads one word a row and returns the new state and log P(next word), (V,) x rows, as an expression. DyNet hands
    an expression over number by number, and that takes as long as computing it; the best words alone are found on its
    side.
    """

    def advance(self, state: Any, words: Sequence[int]) -> tuple[Any, np.ndarray]:
        """Read one word a row (`<s>` first); the new state, and log P(next word), (rows, V) in nats."""
        state, log_probs = self.next_words(state, words)
        return state, as_rows(log_probs)

    def advance_best(self, state: Any, words: Sequence[int], number: int) -> tuple[Any, np.ndarray, np.ndarray]:
        """The same for search: the new state, the `number` most probable next words, and their log P, (rows, number).

        They are in no particular order.
        """
        state, log_probs = self.next_words(state, words)
        return state, *best_of(log_probs, number)


def best_of(expression: dy.Expression, number: int) -> tuple[np.ndarray, np.ndarray]:
    """The places and the values of the largest numbers of (V,) x rows: (rows, number) each, fewer where V is less."""
    (size,), rows = expression.dim()
    tensor = expression.tensor_value()
    if number == 1:
        places = tensor.argmax(0).as_numpy().ravel()
        return places[:, None], as_rows(dy.pick_batch(expression, places.tolist()))
    values, places = (found.as_numpy().reshape(-1, rows, order="F").T for found in tensor.topk(0, min(number, size)))
    return places, values


def as_rows(expression: dy.Expression) -> np.ndarray:
    """The numbers of (R,) x N, or (R, 1) x N, as an array (N, R)."""
    return np.reshape(expression.npvalue(), (-1, expression.dim()[1]), order="F").T
