"""Dropout: in training a number is zero with some probability, and otherwise made larger to make up for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dynet as dy

DROPOUT_KINDS = {"zaremba": False, "variational": True}
"""The choices of --dropout-kind: whether one mask serves all steps of a sequence, as in `variational_dropout`."""


@dataclass(frozen=True)
class Dropout:
    """Zero with probability `rate`, else divided by 1 - rate; 0 turns it off.

    It is on what enters and leaves a layer, never on what goes from one step to the next, with a new mask every step
    (Zaremba et al. 2014).
    """

    rate: float = 0.0

    def __call__(self, sequence: dy.Expression) -> dy.Expression:
        """Drop from what goes from layer to layer: (H, T) x B -> (H, T) x B, or (H,) x B, a single step."""
        return drop(sequence, self.rate)

    def recurrent_mask(self, size: int, batch: int) -> dy.Expression | None:
        """What hidden states are multiplied with on their way to the next step: nothing."""
        return None


def make_dropout(rate: float, kind: str, recurrent: float = 1.0) -> Any:
    """The kind that --dropout-kind names. recurrent: see `variational_dropout`."""
    if rate == 0 or not DROPOUT_KINDS[kind]:
        return Dropout(rate)
    from common.nn.variational_dropout import VariationalDropout

    return VariationalDropout(rate, recurrent)


def drop(expression: dy.Expression, rate: float) -> dy.Expression:
    """Dropout that costs nothing when it is off: a number is zero with probability `rate`, else divided by 1 - rate."""
    return dy.dropout(expression, rate) if rate > 0 else expression


NO_DROPOUT = Dropout()
"""What evaluation and search use."""
