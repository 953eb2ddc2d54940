"""Attention of the decoder to its own past, beside the source: the attentive language model as a decoder, which Salton
et al. 2017 propose in their section 6. Only --past-score loads this file.

Letters in the shapes: H hidden size, S source words, N target steps so far, T the last of them, which are read out,
B sentences in the batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.nn import attention
from common.nn.attention import causal_weights, contexts


class SourceAndPast(NamedTuple):
    """What a step attends to: the source, as its own kind of attention reads it, and the states h_1 ... h_N of the
    decoder so far, (H,) x B each."""

    source: Any
    past: list[dy.Expression]

    @property
    def annotations(self) -> dy.Expression:
        """Of the source words, (H, S) x B."""
        return self.source.annotations

    def select(self, rows: list[int]) -> SourceAndPast:
        """Both of these sentences, in this order."""
        return SourceAndPast(self.source.select(rows), [dy.pick_batch_elems(state, rows) for state in self.past])


class RememberingAttention:
    """Attention to the source, of any kind, that also keeps the state h_t of each step, for those after it."""

    def __init__(self, inner: Any):
        self.inner = inner

    def read(self, annotations: dy.Expression, lengths: np.ndarray) -> SourceAndPast:
        return SourceAndPast(self.inner.read(annotations, lengths), [])

    def __call__(
        self, attended: SourceAndPast, query: dy.Expression, step: int, before: dy.Expression | None
    ) -> tuple[dy.Expression, SourceAndPast]:
        weights, source = self.inner(attended.source, query, step, before)
        return weights, SourceAndPast(source, [*attended.past, query])


class PastReadout:
    """What another readout makes of state and context, and beside it the context of the past, c'_t.

    c'_t = sum over i < t of a'_ti h_i, with a'_t = softmax(scores of h_1 ... h_{t-1} for h_t) (Salton et al. 2017, Eq.
    3 to 6); c'_1 = 0: the first step has no past. size: how many numbers the softmax reads, H more than without it.
    """

    def __init__(self, collection: dy.ParameterCollection, inner: Any, kind: str, size: int, init_scale: float):
        """inner: the other readout. kind: the class of the score. size: H."""
        self.inner, self.size = inner, inner.size + size
        self.score = getattr(attention, kind)(collection, size, init_scale)

    def attentional(self, hidden: dy.Expression, context: dy.Expression) -> dy.Expression | None:
        """As of the other readout: what --feed attentional hands to the next step has nothing of c'_t."""
        return self.inner.attentional(hidden, context)

    def __call__(self, states: Sequence[Any]) -> dy.Expression:
        """What the softmax reads of these steps, each a `DecoderState`: (size, T) x B."""
        past = dy.concatenate_cols(states[-1].source.past)
        return dy.concatenate([self.inner(states), contexts(past, self.weights(past, len(states)))])

    def weights(self, past: dy.Expression, steps: int) -> dy.Expression:
        """a'_t of each of the last steps, a column each: (H, N) x B -> (N, T) x B, zero but for the steps before it."""
        (_, number), _ = past.dim()
        queries = dy.pick_range(past, number - steps, number, 1)
        return causal_weights(self.score.scores(self.score.keys(past), queries), steps)
