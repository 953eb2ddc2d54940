"""The two engines: the same model and the same steps, by hand in NumPy or on DyNet's computation graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dynet as dy
import numpy as np

from common.memory import READ
from common.programs.chapters import check_stored
from common.text.batching import Batch, parts_that_fit
from common.text.vocab import Vocabulary

from .dynet_model import DynetLogLinearLM, make_trainer
from .features import FeatureSet
from .model import BYTES, LogLinearLM, add_up, footprint, select
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
        loss, found = 0.0, []
        for part in parts_that_fit(batch, self.model.footprint, trained=True):
            active, targets = select(self.model.features, part)
            part_loss, gradients = self.model.loss_and_gradients(active, targets, divisor=len(batch.indices))
            loss += part_loss
            found.append(gradients)
        self.optimiser.update(found[0] if len(found) == 1 else add_up(found), rate)
        return loss

    def arrays(self) -> list[np.ndarray]:
        """The model's parameters, and what the optimiser remembers."""
        return [*self.model.arrays(), *self.optimiser.arrays()]

    def set_arrays(self, arrays: list[np.ndarray]) -> None:
        """Put numbers into all of them, in place."""
        for own, array in zip(self.arrays(), arrays, strict=True):
            own[...] = array


class DynetLearner:
    """The same on DyNet. Its optimisers cannot be saved, so they start afresh with every epoch."""

    bytes = READ

    def __init__(self, settings: Any, features: FeatureSet, log_frequencies: np.ndarray | None = None):
        self.model = DynetLogLinearLM(features, log_frequencies)
        self.arrays, self.set_arrays = self.model.arrays, self.model.set_arrays
        self.settings = settings

    def begin_epoch(self) -> None:
        """A new optimiser."""
        self.trainer = make_trainer(self.settings.optimiser, self.model.collection, self.settings.its_epsilon)

    def step(self, batch: Batch, rate: float) -> float:
        """Learn from a batch: its summed loss in nats, before the step."""
        value = 0.0
        for part in parts_that_fit(batch, self.model.trained_footprint, trained=True):
            dy.renew_cg()
            loss = self.model.loss(*select(self.model.features, part))
            value += loss.scalar_value()
            mean_loss = loss * (1 / len(batch.indices))
            mean_loss.backward()
        self.trainer.learning_rate = rate
        self.trainer.update()
        return value


LEARNERS = {"numpy": NumpyLearner, "dynet": DynetLearner}
"""The choices of --engine."""


def of_run(folder: Path, settings: Any) -> tuple[LogLinearLM, NumpyLearner | DynetLearner]:
    """The model of the run in `folder` before training, and what its numbers are read into."""
    features = FeatureSet.load(folder / "features.npz", Vocabulary.load(folder / "vocab.txt"))
    check_stored(folder / "model.npz", footprint(features, BYTES).parameters)
    learner = LEARNERS[settings.engine](settings, features)
    return learner.model, learner
