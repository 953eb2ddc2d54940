"""Padding behind the words of sentences, for what reads all of them at once.

Letters in the shapes: H size of a word, T words, padding included, B sentences in the batch.
"""

from __future__ import annotations

import dynet as dy
import numpy as np


def real(lengths: np.ndarray, time: int) -> np.ndarray:
    """1 on what is real and 0 on padding, (B, time)."""
    return (np.arange(time) < lengths[:, None]).astype(np.float32)


def without_padding(words: dy.Expression, lengths: np.ndarray) -> dy.Expression:
    """Words (H, T) x B of sentences with these lengths (B,), with zero vectors for padding."""
    (_, time), batch = words.dim()
    if lengths.min() == time:
        return words
    return dy.cmult(words, dy.reshape(dy.inputTensor(real(lengths, time).ravel()), (1, time), batch))
