"""A text read in order, its sentences one after the other, in several streams side by side.

Where the state is kept between sentences, a batch must go on where the batch before it ended: the text is cut into
B parts, which lie side by side as the columns of every batch, and each batch is the next few steps of all of them.
The boundary between two sentences is predicted as `</s>` and read as `<s>`, so a sentence of n words takes n+1
predictions here too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from common.text.batching import Batch
from common.text.vocab import Vocabulary


def make_streams(sentences: Sequence[Sequence[int]], streams: int, steps: int) -> list[Batch]:
    """The text of the sentences (of ids) as batches of at most `steps` steps of `streams` streams, in order. What the
    last streams lack of the length of the others is padded. The `indices` of a batch number the streams."""
    text = np.concatenate([[*sentence, Vocabulary.boundary] for sentence in sentences]).astype(int)
    width = math.ceil(len(text) / streams)
    real = np.arange(streams * width) < len(text)
    targets = np.zeros(streams * width, dtype=int)
    targets[: len(text)] = text
    inputs = np.concatenate([[Vocabulary.boundary], targets[:-1]])
    text_of, next_of, mask = (array.reshape(streams, width).T for array in (inputs, targets, real.astype(np.float32)))
    return [
        Batch(
            text_of[start : start + steps],
            next_of[start : start + steps],
            mask[start : start + steps],
            np.arange(streams),
        )
        for start in range(0, width, steps)
    ]
