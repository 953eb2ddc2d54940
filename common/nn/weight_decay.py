"""Weight decay beside the gradient (--weight-decay), as in AdamW (Loshchilov and Hutter 2019)."""

from __future__ import annotations

from typing import Any

import dynet as dy

from common.nn.parameters import all_of


class Decayed:
    """An optimiser whose every step also takes a share of each matrix away: p <- (1 - learning_rate * decay) p.

    The gradient has no part in it, so Adam does not divide it by anything. Biases stay; of a lookup table all rows
    shrink, read or not, and so do weights of a single row, such as v_s. What is remembered is the optimiser's own. In
    the paper's formula the decay is multiplied with the schedule alone, without the rate at the beginning.
    """

    def __init__(self, optimiser: Any, collection: dy.ParameterCollection, decay: float):
        self.optimiser, self.collection, self.decay, self.learning_rate = optimiser, collection, decay, 0.0

    def update(self) -> None:
        """Shrink the parameters, and move them against their gradients."""
        for parameter in all_of(self.collection):
            if len(parameter.shape()) > 1:
                parameter.scale(1 - self.learning_rate * self.decay)
        self.optimiser.learning_rate = self.learning_rate
        self.optimiser.update()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.optimiser, name)
