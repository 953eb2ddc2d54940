"""Parts of a batch: where it does not fit into the memory, and where several processes share it."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from common.memory import Footprint

B = TypeVar("B", bound=Any)
"""A `batching.Batch`, or a `pairs.PairBatch`."""


def parts_that_fit(batch: B, footprint: Footprint | None, trained: bool = False) -> list[B]:
    """The batch, or else parts of it that fit into the memory one by one. Raises `UserError` for a sentence that does
    not fit even alone. footprint: of the model that is to read it, where it has one. trained: with gradients."""
    rows, words, source = sizes_of(batch)
    return in_parts(batch, rows if footprint is None else footprint.rows(rows, words, source, trained))


def in_parts(batch: B, most: int) -> list[B]:
    """The batch itself, or parts of about the same number of sentences, at most so many."""
    rows, _, _ = sizes_of(batch)
    if rows <= most:
        return [batch]
    return [take(batch, columns) for columns in np.array_split(np.arange(rows), -(-rows // most))]


def sizes_of(batch: Any) -> tuple[int, int, int]:
    """How many sentences or pairs, the most predictions of one, and the most source words, 0 where there are none."""
    if hasattr(batch, "target"):
        return *sizes_of(batch.target)[:2], len(batch.source)
    return len(batch.indices), len(batch.mask), 0


def take(batch: B, columns: np.ndarray) -> B:
    """These sentences or pairs alone, each side padded to the longest of them."""
    if hasattr(batch, "target"):
        source, mask = trimmed([batch.source, batch.source_mask], batch.source_mask, columns)
        trees = [batch.trees[column] for column in columns] if batch.trees else ()
        return batch._replace(source=source, source_mask=mask, target=take(batch.target, columns), trees=trees)
    inputs, targets, mask = trimmed([batch.inputs, batch.targets, batch.mask], batch.mask, columns)
    return batch._replace(inputs=inputs, targets=targets, mask=mask, indices=batch.indices[columns])


def trimmed(arrays: list[np.ndarray], mask: np.ndarray, columns: np.ndarray) -> list[np.ndarray]:
    """These columns of arrays (time, batch), without the last steps in which all is padding."""
    longest = int(mask[:, columns].sum(axis=0).max())
    return [array[:longest, columns] for array in arrays]
