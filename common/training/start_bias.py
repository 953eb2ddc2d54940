"""What the bias of an output layer starts from: the choices of --bias."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from common.text.vocab import Vocabulary


def log_frequencies(sentences: Sequence[Sequence[int]], vocabulary_size: int) -> np.ndarray:
    """log P(word) of a unigram model with one added to every count, `</s>` included: (V,), in nats. As the starting
    bias of an output layer it spares the optimiser from learning what counting can give."""
    counts = np.ones(vocabulary_size)
    np.add.at(counts, np.concatenate([np.asarray(sentence) for sentence in sentences]), 1)
    counts[Vocabulary.boundary] += len(sentences)
    return np.log(counts / counts.sum())


START_BIASES: dict[str, Callable[[Sequence[Sequence[int]], int], np.ndarray | None]] = {
    "unigram": log_frequencies,
    "zero": lambda sentences, vocabulary_size: None,
}
"""The choices of --bias: what an output bias starts from."""
