"""Exercises 4.3 and 4.4: a feed-forward language model in DyNet, from embeddings to the loss of a batch.

Letters in the shapes: V vocabulary, L embedding size, H hidden size, n order, T time steps, B sentences in the batch,
N predictions side by side. DyNet keeps the batch in a dimension of its own: (H,) x N is N vectors of H numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import dynet as dy
import numpy as np
from windows import contexts


class Weights(NamedTuple):
    """The parameters of the model, and its order n."""

    M: dy.LookupParameters
    """(V, L), the lesson's M transposed: a row for each word; dy.lookup_batch(M, list of ids) gives (L,) x as many."""
    W_mh: dy.Parameters
    """(H, (n-1)L)"""
    b_h: dy.Parameters
    """(H,)"""
    W_hs: dy.Parameters
    """(V, H)"""
    b_s: dy.Parameters
    """(V,)"""
    order: int


def hidden(weights: Weights, words: np.ndarray, dropout: float) -> dy.Expression:
    """h = tanh(W_mh m + b_h) with m = the embeddings of the context, stacked (Neubig 2017, Eq. 42): (H,) x N.

    words: ids (n-1, N), the oldest first; m has the oldest word's embedding on top. dropout: where it is above 0,
    dy.dropout(..., dropout) is applied to m and to h; where it is 0, nothing is random.

    With n = 2, M = [[0], [2]], W_mh = [[0.5]], b_h = [0.25] and words = [[1, 0]], h is tanh(1.25) and tanh(0.25).
    """
    # TODO 4.3: embeddings, a hidden layer, scores
    raise NotImplementedError("Exercise 4.3: embeddings, a hidden layer, scores")


def scores(weights: Weights, h: dy.Expression) -> dy.Expression:
    """s = W_hs h + b_s (Neubig 2017, Eq. 42), the argument of the softmax: (H,) x N -> (V,) x N.

    With W_hs = [[1], [-2]], b_s = [0.5, 0] and h = [3], s is [3.5, -6].
    """
    # TODO 4.3: embeddings, a hidden layer, scores
    raise NotImplementedError("Exercise 4.3: embeddings, a hidden layer, scores")


def loss(weights: Weights, inputs: np.ndarray, targets: np.ndarray, mask: np.ndarray, dropout: float) -> dy.Expression:
    """-log P of all sentences of a batch (Neubig 2017, Eq. 43), summed over its real predictions, in nats: one number.

    inputs, targets, mask: (T, B). The mask is 1 on real predictions, </s> (target 0) among them, and 0 on padding,
    which must neither add to the loss nor be computed. Uses `contexts` of exercise 4.2 and the functions of 4.3.
    Useful: dy.pickneglogsoftmax_batch(scores, list of N ids), (1,) x N, and dy.sum_batches.

    Where all parameters are zero, the loss is the number of real predictions times log V.
    """
    # TODO 4.4: the loss of a batch, and log-probabilities without dropout
    raise NotImplementedError("Exercise 4.4: the loss of a batch, and log-probabilities without dropout")


def log_probs(weights: Weights, inputs: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """log P(target | the n-1 words before it) in nats, as numbers, (T, B); 0 on padding; for evaluation.

    inputs, targets, mask: as in `loss`. Every call returns the same numbers, and begins a new graph:
    dy.renew_cg().

    Where all parameters are zero, it is -log V wherever the mask is 1.
    """
    # TODO 4.4: the loss of a batch, and log-probabilities without dropout
    raise NotImplementedError("Exercise 4.4: the loss of a batch, and log-probabilities without dropout")
