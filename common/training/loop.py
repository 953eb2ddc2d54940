"""Progress through the batches of an epoch; the loop itself stands in each chapter's train.py.

Everything random in an epoch follows from the seed and the epoch's number, so a run that is killed and resumed ends
with the figures of one that was not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tqdm import tqdm

from common.evaluation.perplexity import perplexity
from common.training.checkpoint import EpochRecord, check_loss

MEASURED_BATCHES, LONG_EPOCH = 2, 120
"""From how many batches the length of an epoch is estimated, and from how many seconds on one is told of it."""


class Meter:
    """Goes through the batches of an epoch with a progress bar, and adds up their losses. `epochs_done` is the progress
    of training at the current batch, in epochs: the argument of a `Schedule`."""

    def __init__(self, epoch: int, batches: Sequence[Any]):
        self.epoch, self.batches = epoch, batches
        self.epochs_done = epoch - 1.0
        self.loss, self.predictions, self.seconds = 0.0, 0, 0.0
        self.after_batches: Sequence[Callable[[], None]] = ()

    def __iter__(self) -> Iterator[Any]:
        started = time.perf_counter()
        self.progress = tqdm(self.batches, desc=f"epoch {self.epoch}", unit="batch", leave=False, disable=None)
        for number, batch in enumerate(self.progress):
            self.epochs_done = self.epoch - 1 + number / len(self.batches)
            yield batch
            if number + 1 == MEASURED_BATCHES and self.epoch == 1 and self.predictions:
                self.tell_cost(time.perf_counter() - started)
        self.seconds = time.perf_counter() - started
        for action in self.after_batches:
            action()

    def add(self, loss: float, predictions: int) -> None:
        """Count a batch: its summed loss in nats and its real predictions. Raises `UserError` for a loss not finite."""
        self.loss += check_loss(loss, self.epoch)
        self.predictions += predictions
        self.progress.set_postfix(perplexity=f"{perplexity(-self.loss, self.predictions):.1f}", refresh=False)

    def tell_cost(self, seconds: float) -> None:
        """Say what an epoch costs, from what the batches so far have taken, if that is long."""
        whole = sum(getattr(batch, "target", batch).predictions for batch in self.batches)  # of pairs: their targets
        cost = seconds / self.predictions * whole
        if cost > LONG_EPOCH:
            seen = f"judging by its first {MEASURED_BATCHES} of {len(self.batches):,} batches"
            self.progress.clear()
            print(f"an epoch takes about {cost / 60:,.0f} minutes, {seen}, plus the evaluation on dev", flush=True)

    def record(self, dev_perplexity: float, learning_rate: float) -> EpochRecord:
        """What the epoch left behind, once its batches are done."""
        train_perplexity = perplexity(-self.loss, self.predictions)
        return EpochRecord(self.epoch, train_perplexity, dev_perplexity, learning_rate, self.predictions, self.seconds)
