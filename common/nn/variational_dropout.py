"""Dropout with one mask for all steps of a sequence (--dropout-kind variational; Gal and Ghahramani 2016)."""

from __future__ import annotations

from dataclasses import dataclass

import dynet as dy


@dataclass(frozen=True)
class VariationalDropout:
    """A mask lasts for a sequence, or for a piece of a stream, and recurrent connections have one, too.

    It has the methods of `dropout.Dropout`. recurrent: what the rate is multiplied with there.
    """

    rate: float
    recurrent: float = 1.0

    def __call__(self, sequence: dy.Expression) -> dy.Expression:
        """Drop from what goes from layer to layer: (H, T) x B -> (H, T) x B, or (H,) x B, a single step."""
        (size, *time), batch = sequence.dim()
        mask = draw_mask(size, batch, self.rate)
        # A column for each step: DyNet multiplies by copies three times as fast as by one column for all.
        return dy.cmult(sequence, dy.concatenate_cols([mask] * time[0]) if time else mask)

    def recurrent_mask(self, size: int, batch: int) -> dy.Expression | None:
        """What hidden states are multiplied with on their way to the next step: (size,) x batch, or no mask."""
        rate = self.rate * self.recurrent
        return draw_mask(size, batch, rate) if rate else None


def draw_mask(size: int, batch: int, rate: float) -> dy.Expression:
    """0 with probability `rate`, else 1 / (1 - rate), for each number of a vector: (size,) x batch."""
    return dy.random_bernoulli((size,), 1 - rate, scale=1 / (1 - rate), batch_size=batch)
