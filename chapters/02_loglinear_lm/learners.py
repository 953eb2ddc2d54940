"""The two engines: the same model and the same steps, by hand in NumPy or on DyNet's computation graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from common.text.batching import Batch
from common.text.dividing import parts_that_fit

from .features import FeatureSet
from .model import BYTES, LogLinearLM, add_up, select
from .optimisers import OPTIMISERS


class NumpyLearner:
    """A model and its optimiser. Both are saved together, so a resumed run goes on as if nothing had happened."""

    bytes = BYTES
    """Of a parameter, while it is trained."""

    def __init__(
        self,
        settings: Any,
        features: FeatureSet,
        log_frequencies: np.ndarray | None = None,
        kind: type[LogLinearLM] = LogLinearLM,
    ):
        """kind: the class of the model, which knows its loss (margin.py has others)."""
        self.model = kind(features, log_frequencies)
        self.optimiser = OPTIMISERS[settings.optimiser](self.model, settings.its_epsilon)

    def begin_epoch(self) -> None:
        """Nothing to do: the optimiser remembers the epochs before."""

    def step(self, batch: Batch, rate: float) -> float:
        """Learn from a batch: its summed loss in nats, before the step."""
        loss, part_gradients = 0.0, []
        for part in parts_that_fit(batch, self.model.footprint, trained=True):
            active, targets = select(self.model.features, part)
            part_loss, gradients = self.model.loss_and_gradients(active, targets, divisor=len(batch.indices))
            loss += part_loss
            part_gradients.append(gradients)
        self.optimiser.update(part_gradients[0] if len(part_gradients) == 1 else add_up(part_gradients), rate)
        return loss

    def arrays(self) -> list[np.ndarray]:
        """The model's parameters, and what the optimiser remembers."""
        return [*self.model.arrays(), *self.optimiser.arrays()]

    def set_arrays(self, arrays: list[np.ndarray]) -> None:
        """Put numbers into all of them, in place."""
        for own, array in zip(self.arrays(), arrays, strict=True):
            own[...] = array


def on_numpy() -> type[NumpyLearner]:
    return NumpyLearner


def on_dynet() -> type:
    from .dynet_model import DynetLearner

    return DynetLearner


LEARNERS: dict[str, Callable[[], Any]] = {"numpy": on_numpy, "dynet": on_dynet}
"""The choices of --engine: each gives the class of its learners, and DyNet is loaded only where it is chosen."""
