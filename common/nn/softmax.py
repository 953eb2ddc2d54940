"""From words to vectors, and from a hidden state to a distribution over the vocabulary."""

from __future__ import annotations

import dynet as dy
import numpy as np

TIED = {"tied": True, "untied": False}
"""The choices of --softmax: whether its matrix is the embedding."""


def embed(embedding: dy.Parameters, words: list[int]) -> dy.Expression:
    """The embeddings of N words, rows of the matrix (V, H): (H,) x N.

    An ordinary matrix and not DyNet's lookup table, which would have to be transposed for `tied_logits` in
    every batch. With tied embeddings every row gets a gradient anyway.
    """
    return dy.pick_batch(embedding, words, dim=0)


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


def negative_log_probs(logits: dy.Expression, targets: np.ndarray) -> dy.Expression:
    """-log P(target) in nats: logits (V,) x T*B as from `fold_time`, targets (T, B) of ids -> (1,) x T*B."""
    return dy.pickneglogsoftmax_batch(logits, targets.T.ravel().tolist())


def masked_sum(losses: dy.Expression, mask: np.ndarray) -> dy.Expression:
    """The sum of the losses of real predictions: losses (1,) x T*B, mask (T, B), 0 on padding -> a scalar."""
    if not mask.all():
        losses = dy.cmult(losses, dy.inputTensor(mask.T.reshape(1, -1), batched=True))
    return dy.sum_batches(losses)
