"""What training may add to the loss, or take off it, because of the attention: sums over sentences.

Letters in the shapes: S source words, T target time steps (those of `</s>` and the padding included), B sentences.
Weights alpha are (S, T) x B; column t contains the weights of step t.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import dynet as dy
import numpy as np

from common.text.alignment import Links

MOST_FERTILE = 4.0
"""The most steps that a source word can be expected to serve."""

NO_WEIGHT = 1e-9
"""Added to weights before their logarithm, because log 0 is not finite."""


class Fertility:
    """phi_j = N sigmoid(u . h_j + b): how much attention a source word is expected to get in all, N = MOST_FERTILE.

    The penalty is the sum over source words of (sum over t of alpha_tj - phi_j)^2: Cohn et al. 2016 have a normal
    distribution around such a phi_j, with a learnt variance; ours is 1/2. `u` (1, H) starts at 0 and `b` (1,) where
    every word is expected to be attended to once.
    """

    def __init__(self, collection: dy.ParameterCollection, annotation_size: int):
        self.u = collection.add_parameters((1, annotation_size), init=0)
        self.b = collection.add_parameters(1, init=-math.log(MOST_FERTILE - 1))

    def expected(self, annotations: dy.Expression) -> dy.Expression:
        """phi of every word: annotations (H, S) x B -> (S, 1) x B."""
        (_, words), batch = annotations.dim()
        inner = dy.colwise_add(self.u * annotations, self.b)
        return dy.reshape(dy.logistic(inner) * MOST_FERTILE, (words, 1), batch)

    def penalty(
        self, weights: dy.Expression, annotations: dy.Expression, source_mask: np.ndarray, target_mask: np.ndarray
    ) -> dy.Expression:
        """The penalty of a batch. Masks (S, B) and (T, B) are 0 on padding, which neither gives nor gets anything."""
        received = weights * dy.inputTensor(target_mask[:, None, :], batched=True)
        missing = dy.cmult(received - self.expected(annotations), dy.inputTensor(source_mask[:, None, :], batched=True))
        return dy.sum_batches(dy.sum_elems(dy.square(missing)))


def agreement(weights: dy.Expression, backward: dy.Expression) -> dy.Expression:
    """trace(A A'^T), the sum over words t and j of A_tj A'_jt: do two directions attend to the same pairs of words?

    weights: of F to E, (S, T + 1) x B; backward: of E to F, (T, S + 1) x B, columns being the steps of each; here S and
    T are without `</s>`. The last columns are cut off: only `</s>` and padding can be there. A shorter sentence's
    `</s>` is further left, but as a source word of the other direction it is padding, which gets no weight.
    """
    (source, steps), _ = weights.dim()
    back = dy.pick_range(backward, 0, source, 1)
    return dy.sum_batches(dy.sum_elems(dy.cmult(dy.pick_range(weights, 0, steps - 1, 1), dy.transpose(back))))


def alignment_cross_entropy(weights: dy.Expression, targets: np.ndarray) -> dy.Expression:
    """- the sum over t and j of wanted_tj log alpha_tj, for weights that should be as wanted, (S, T, B)."""
    logs = dy.log(weights + NO_WEIGHT)
    return -dy.sum_batches(dy.sum_elems(dy.cmult(dy.inputTensor(targets, batched=True), logs)))


def wanted_weights(links: Sequence[Links], words: int, steps: int) -> np.ndarray:
    """Links as weights, (words, steps, B): equal shares for all aligned words of a target word, 0 without any."""
    weights = np.zeros((words, steps, len(links)))
    for column, pairs in enumerate(links):
        for i, j in pairs:
            weights[i, j, column] = 1
    return weights / np.maximum(weights.sum(axis=0), 1)
