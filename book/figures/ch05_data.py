"""What the figures of chapter 5 compute on the spot: slopes and padding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from common.text.batching import Batch, make_batch, make_batches
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary

SIZES = (1, 4, 8, 16, 32, 64, 128, 256)
"""Sentences of a minibatch."""
BATCHED = 2000
"""Sentences of train that are batched for the figure."""


def encoded(split: str = "train") -> tuple[Vocabulary, list[list[int]]]:
    """A split of the village as ids, as train.py reads it."""
    corpus = load_corpus("village")
    vocab = Vocabulary.from_sentences(corpus.train, min_count=2)
    return vocab, [vocab.encode(sentence) for sentence in getattr(corpus, split)]


def share_padded(batches: Sequence[Batch]) -> float:
    """Which share of the places of all these batches is padding."""
    return 1 - sum(batch.predictions for batch in batches) / sum(batch.mask.size for batch in batches)


def padding_by_size() -> dict[str, list[float]]:
    """The share of padding for each of SIZES, with train in the order of the file and sorted by length."""
    ids = encoded()[1][:BATCHED]
    in_order = [[make_batch(ids, range(at, min(at + size, len(ids)))) for at in range(0, len(ids), size)]
                for size in SIZES]  # fmt: skip
    return {
        "in the order of the text": [share_padded(batches) for batches in in_order],
        "sorted by length": [share_padded(make_batches(ids, size)) for size in SIZES],
    }


def slopes(x: np.ndarray) -> np.ndarray:
    """The derivative of tanh."""
    return 1 - np.tanh(x) ** 2
