"""Minibatches of sentence pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from common.text.batching import Batch, make_batch, pad, trimmed
from common.text.corpus import Tree, tree_with


class PairBatch(NamedTuple):
    """Pairs side by side: source word ids (source time, batch) padded behind, their mask, and the targets' batch.

    trees: over the sources, for a model that follows them.
    """

    source: np.ndarray
    source_mask: np.ndarray
    target: Batch
    trees: Sequence[Tree | None] = ()

    @property
    def sizes(self) -> tuple[int, int, int]:
        """How many pairs, the most predictions of one, the most source words."""
        return *self.target.sizes[:2], len(self.source)

    def take(self, columns: np.ndarray) -> PairBatch:
        """These pairs alone, each side padded to the longest of them."""
        mask = self.source_mask[:, columns]
        trees = [self.trees[column] for column in columns] if self.trees else ()
        return PairBatch(trimmed(self.source[:, columns], mask), trimmed(mask, mask), self.target.take(columns), trees)


def make_pair_batch(sources: Sequence[Sequence[int]], target: Batch) -> PairBatch:
    """The batch of these sources, with the trees that they come with, and of their targets."""
    return PairBatch(*pad(sources), target, [tree_with(source) for source in sources])


def make_pair_batches(
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    batch_size: int,
    rng: np.random.Generator | None = None,
) -> list[PairBatch]:
    """All pairs in batches, sorted by the length of the target, then of the source; otherwise like `make_batches`."""
    order = np.arange(len(targets)) if rng is None else rng.permutation(len(targets))
    source_lengths, target_lengths = (np.array([len(side[index]) for index in order]) for side in (sources, targets))
    order = order[np.lexsort((source_lengths, target_lengths))]
    parts = [order[start : start + batch_size] for start in range(0, len(order), batch_size)]
    batches = [make_pair_batch([sources[index] for index in part], make_batch(targets, part)) for part in parts]
    if rng is not None:
        rng.shuffle(batches)
    return batches
