"""The flags that all benchmarks share, and the batches of a round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from common.errors import UserError
from common.text.batching import Batch
from common.text.pairs import PairBatch
from common.training.cli import setting

LEARNING_RATE, CLIP = 0.1, 5.0

AnyBatch = TypeVar("AnyBatch", Batch, PairBatch)


@dataclass(frozen=True)
class BenchSettings:
    """The flags of every benchmark."""

    batches: int = setting(
        8, "different batches, spread evenly over the lengths; all of them in each round", minimum=1, maximum=10_000
    )
    rounds: int = setting(5, "how often each side runs over the batches, in turn", 1, 10_000)
    threads: int = setting(1, "threads of PyTorch (and of a DyNet that has threads: the wheel has not)", minimum=1)
    seed: int = setting(1, "seed of all random numbers", minimum=1)
    json: str = setting("", "a file to write the results to")


@dataclass(frozen=True)
class Workload:
    """The batches of a round, and where they come from."""

    batches: Sequence[Batch | PairBatch]
    source: str

    @property
    def predictions(self) -> int:
        """Real (unpadded) predictions in a round."""
        return sum(predicted(batch).predictions for batch in self.batches)

    @property
    def positions(self) -> int:
        """Predictions in a round, padding included."""
        return sum(predicted(batch).mask.size for batch in self.batches)


def predicted(batch: Batch | PairBatch) -> Batch:
    """What is predicted of a batch: of pairs, the target sentences."""
    return batch.target if isinstance(batch, PairBatch) else batch


def choose_batches(batches: Sequence[AnyBatch], number: int, rng: np.random.Generator) -> list[AnyBatch]:
    """Of batches in order of length, so many at even distances, shuffled. Raises `UserError` where there are fewer."""
    if number > len(batches):
        raise UserError(f"--batches {number}: there are only {len(batches)}; choose fewer or smaller ones")
    return [batches[place] for place in rng.permutation(even_places(len(batches), number))]


def even_places(length: int, number: int) -> list[int]:
    """So many places in a list of this length, at even distances; all of them where there are fewer."""
    number = min(number, length)
    return [int((place + 0.5) * length / number) for place in range(number)]
