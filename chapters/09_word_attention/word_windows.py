"""Words side by side: those around each word of a source, and those before each prediction.

Letters in the shapes: H size of an embedding, S source words, T time steps, B sentences in the batch, C words of a
history.
"""

from __future__ import annotations

import dynet as dy
import numpy as np

from common.nn.padding import without_padding
from common.nn.softmax import embed


def around(vectors: dy.Expression, lengths: np.ndarray, reach: int) -> list[dy.Expression]:
    """For -reach ... reach, the vector that stands so far from each place: 2*reach+1 times (H, S) x B.

    vectors (H, S) x B, lengths (B,). Before a sentence and behind it stand zero vectors.
    """
    (size, time), batch = vectors.dim()
    vectors = without_padding(vectors, lengths)
    if not reach:
        return [vectors]
    edge = dy.zeros((size, reach), batch_size=batch)
    padded = dy.concatenate_cols([edge, vectors, edge])
    return [dy.pick_range(padded, first, first + time, 1) for first in range(2 * reach + 1)]


def side_by_side(embedding: dy.Parameters, words: np.ndarray) -> dy.Expression:
    """The embeddings of each history, one below the other: words (C, T, B), embedding (V, H) -> (C*H,) x T*B."""
    length, time, batch = words.shape
    embedded = embed(embedding, words.transpose(2, 1, 0).ravel().tolist())
    return dy.reshape(embedded, (length * embedding.shape()[1],), time * batch)
