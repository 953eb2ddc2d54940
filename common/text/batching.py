"""Minibatches of sentences of similar length, so that little is padded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from common import runtime
from common.text.vocab import Vocabulary

B = TypeVar("B", bound=Any)
"""A `Batch`, or a `pairs.PairBatch`."""


class Batch(NamedTuple):
    """Sentences side by side, padded to the longest. All arrays are (time, batch).

    A sentence of n words is n+1 predictions: inputs are `<s>` and its words, targets its words and `</s>`; the mask is
    1 on these n+1 and 0 on the padding. `indices` says which sentence of the split each column is.
    """

    inputs: np.ndarray
    targets: np.ndarray
    mask: np.ndarray
    indices: np.ndarray

    @property
    def predictions(self) -> int:
        """The number of real (unpadded) predictions."""
        return int(self.mask.sum())


def pad(sentences: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Sentences as columns, padded behind with the boundary: word ids (time, batch), and the mask, 0 on padding."""
    time = max(len(sentence) for sentence in sentences)
    ids = np.full((time, len(sentences)), Vocabulary.boundary)
    mask = np.zeros((time, len(sentences)), dtype=np.float32)
    for column, sentence in enumerate(sentences):
        ids[: len(sentence), column] = sentence
        mask[: len(sentence), column] = 1
    return ids, mask


def make_batch(sentences: Sequence[Sequence[int]], indices: Sequence[int] | np.ndarray) -> Batch:
    """The batch of the sentences (lists of word ids) at `indices`."""
    selected = [sentences[index] for index in indices]
    inputs, mask = pad([[Vocabulary.boundary, *sentence] for sentence in selected])
    targets, _ = pad([[*sentence, Vocabulary.boundary] for sentence in selected])
    return Batch(inputs, targets, mask, np.asarray(indices))


def parts_for(model: Any, batch: B) -> list[B]:
    """The batch, or parts of it that the model can read in the memory one by one, where that is limited."""
    if not runtime.memory_watched:
        return [batch]
    from common.text.dividing import parts_that_fit

    return parts_that_fit(batch, getattr(model, "footprint", None))


def make_batches(
    sentences: Sequence[Sequence[int]], batch_size: int, rng: np.random.Generator | None = None
) -> list[Batch]:
    """All sentences in batches, sorted by length. With `rng`, sentences of one length meet in a new order each time and
    the batches come shuffled (for training); without, everything is in a fixed order (for evaluation)."""
    lengths = np.array([len(sentence) for sentence in sentences])
    order = np.arange(len(sentences)) if rng is None else rng.permutation(len(sentences))
    order = order[np.argsort(lengths[order], kind="stable")]
    batches = [make_batch(sentences, order[start : start + batch_size]) for start in range(0, len(order), batch_size)]
    if rng is not None:
        rng.shuffle(batches)
    return batches
