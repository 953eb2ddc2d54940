"""From words to vectors, and from a hidden state to a distribution over the vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dynet as dy
import numpy as np

FORBIDDEN = -1e9
"""Added to a score that must get no weight. Not minus infinity, from which DyNet's products make NaN."""
TIED = {"tied": True, "untied": False}
"""The choices of --softmax: whether its matrix is the embedding."""


def embed(embedding: dy.Parameters | dy.LookupParameters, words: list[int]) -> dy.Expression:
    """The embeddings of N words, rows of the matrix (V, H): (H,) x N.

    Mostly an ordinary matrix: DyNet's lookup table would have to be transposed for `tied_logits` in every batch. It
    suits a softmax that scores few words, since the optimiser visits only those of its rows that a batch has read.
    """
    table = isinstance(embedding, dy.LookupParameters)
    return dy.lookup_batch(embedding, words) if table else dy.pick_batch(embedding, words, dim=0)


def output_matrix(
    collection: dy.ParameterCollection, embedding: dy.Parameters, tied: bool, size: int, init_scale: float
) -> dy.Parameters:
    """The matrix W of the softmax: the embedding (V, H) itself where they are tied, or one of its own, (V, size)."""
    if tied:
        return embedding
    return collection.add_parameters((embedding.shape()[0], size), init=dy.UniformInitializer(init_scale))


def tied_logits(embedding: dy.Parameters, bias: dy.Parameters, states: dy.Expression) -> dy.Expression:
    """The argument of softmax(W h + b) (Salton et al. 2017, Eq. 8), W being the input embedding (Press and Wolf 2017).

    embedding (V, H), bias (V,), states (H,) x N -> (V,) x N.
    """
    return dy.affine_transform([bias, embedding, states])


def fold_time(matrix: dy.Expression) -> dy.Expression:
    """(H, T) x B -> (H,) x T*B, so that all time steps of all sentences are one batch. Time runs fastest."""
    (rows, time), batch = matrix.dim()
    return dy.reshape(matrix, (rows,), time * batch)


def unfold_time(vectors: dy.Expression, time: int) -> dy.Expression:
    """The inverse of `fold_time`: (H,) x T*B -> (H, T) x B."""
    (rows,), folded = vectors.dim()
    return dy.reshape(vectors, (rows, time), folded // time)


def as_columns(queries: dy.Expression) -> dy.Expression:
    """(Q,) x B, one query, as (Q, 1) x B, another shape to DyNet; (Q, N) x B unchanged."""
    sizes, batch = queries.dim()
    return dy.reshape(queries, (*sizes, 1), batch) if len(sizes) == 1 else queries


def negative_log_probs(logits: dy.Expression, targets: np.ndarray) -> dy.Expression:
    """-log P(target) in nats: logits (V,) x T*B as from `fold_time`, targets (T, B) of ids -> (1,) x T*B."""
    return dy.pickneglogsoftmax_batch(logits, targets.T.ravel().tolist())


def masked_sum(losses: dy.Expression, mask: np.ndarray) -> dy.Expression:
    """The sum of the losses of real predictions: losses (1,) x T*B, mask (T, B), 0 on padding -> a scalar."""
    if not mask.all():
        losses = dy.cmult(losses, dy.inputTensor(mask.T.reshape(1, -1), batched=True))
    return dy.sum_batches(losses)


class NextWords:
    """`advance` of a model, from its `next_words(state, words)`.

    That reads one word per row and returns the new state and log P(next word): an expression, (V,) x rows, of which
    search reads no more than it needs (`search.decoding`), or where a model computes it in NumPy an array (rows, V).
    """

    next_words: Callable[[Any, Sequence[int]], tuple[Any, Any]]

    def advance(self, state: Any, words: Sequence[int]) -> tuple[Any, np.ndarray]:
        """Read one word per row (`<s>` first); the new state, and log P(next word), (rows, V) in nats."""
        state, log_probs = self.next_words(state, words)
        return state, log_probs if isinstance(log_probs, np.ndarray) else as_rows(log_probs)


def as_rows(expression: dy.Expression) -> np.ndarray:
    """The numbers of (R,) x N, or (R, 1) x N, as an array (N, R)."""
    return np.reshape(expression.npvalue(), (-1, expression.dim()[1]), order="F").T
