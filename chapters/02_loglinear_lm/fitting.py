"""Training without a run folder, for programs that train several models to compare them."""

from __future__ import annotations

from collections.abc import Iterator

from common.runtime import epoch_rng
from common.text.batching import make_batches
from common.training.loop import Meter
from common.training.schedules import Schedule

from .dynet_model import DynetLearner
from .learners import NumpyLearner
from .settings import Settings


def fit(learner: NumpyLearner | DynetLearner, settings: Settings, train_ids: list[list[int]]) -> Iterator[Meter]:
    """Train for the epochs of the settings; after each, what it cost.

    There is no dev split, so neither early stopping nor `--schedule plateau`; nothing is saved.
    """
    schedule = Schedule(settings.schedule, settings.initial_rate, settings.epochs, settings.decay, settings.decay_start)
    for epoch in range(1, settings.epochs + 1):
        learner.begin_epoch()
        meter = Meter(epoch, make_batches(train_ids, settings.batch_size, epoch_rng(settings.seed, epoch)))
        for batch in meter:
            meter.add(learner.step(batch, schedule(meter.epochs_done, [])), batch.predictions)
        yield meter
