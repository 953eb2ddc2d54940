"""Dropout for recurrent networks: where it is put, and how long a mask lasts."""

from __future__ import annotations

from dataclasses import dataclass

import dynet as dy

DROPOUT_KINDS = {"zaremba": False, "variational": True}
"""The choices of --dropout-kind: whether one mask serves all steps of a sequence."""


@dataclass(frozen=True)
class Dropout:
    """Each number is set to zero with probability `rate` and otherwise divided by 1 - rate; 0 turns it off.

    "zaremba": on what enters and leaves a layer, never on what goes from one step to the next, with a new mask
    every step (Zaremba et al. 2014). "variational": one mask for all steps of a sequence, or of a piece of a stream, on
    the recurrent connections too (Gal and Ghahramani 2016). recurrent: what the rate is multiplied with there.
    """

    rate: float = 0.0
    kind: str = "zaremba"
    recurrent: float = 1.0

    def __call__(self, sequence: dy.Expression) -> dy.Expression:
        """Drop from what goes from layer to layer: (H, T) x B -> (H, T) x B, or (H,) x B, a single step."""
        if not self.one_mask:
            return drop(sequence, self.rate)
        (size, *time), batch = sequence.dim()
        mask = draw_mask(size, batch, self.rate)
        # A column for each step: DyNet multiplies by copies three times as fast as by one column for all.
        return dy.cmult(sequence, dy.concatenate_cols([mask] * time[0]) if time else mask)

    def recurrent_mask(self, size: int, batch: int) -> dy.Expression | None:
        """What hidden states are multiplied with on their way to the next step: (size,) x batch, or no mask."""
        rate = self.rate * self.recurrent
        return draw_mask(size, batch, rate) if self.one_mask and rate else None

    @property
    def one_mask(self) -> bool:
        """Whether there are masks, each for all steps of a sequence."""
        return self.rate > 0 and DROPOUT_KINDS[self.kind]


def drop(expression: dy.Expression, rate: float) -> dy.Expression:
    """Dropout that costs nothing when it is off: a number is zero with probability `rate`, else divided by 1 - rate."""
    return dy.dropout(expression, rate) if rate > 0 else expression


def draw_mask(size: int, batch: int, rate: float) -> dy.Expression:
    """0 with probability `rate`, else 1 / (1 - rate), for each number of a vector: (size,) x batch."""
    return dy.random_bernoulli((size,), 1 - rate, scale=1 / (1 - rate), batch_size=batch)


NO_DROPOUT = Dropout()
"""What evaluation and search use."""
