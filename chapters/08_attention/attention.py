"""How a step of the decoder computes its weights: the softmax of scores. Other ways are in attention_variants.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import dynet as dy
import numpy as np

from common.nn.attention import Score
from common.nn.source_attention import Memory, attention_weights

if TYPE_CHECKING:
    from .coverage import Covered


class AttendedSource(NamedTuple):
    """A batch of sources as the attention reads them. All but `covered` is the same for every step, computed once.

    lengths: words of each source, (1, 1) x B, where the attention is local; jumps: the matrix of a Markov bias, (S, S);
    covered: what attention the words have got so far, where a coverage model wants it.
    """

    memory: Memory
    lengths: dy.Expression | None = None
    jumps: dy.Expression | None = None
    covered: Covered | None = None

    @property
    def words(self) -> int:
        return self.memory.annotations.dim()[0][1]

    def select(self, rows: list[int]) -> AttendedSource:
        """The sources of these sentences, in this order."""
        lengths = None if self.lengths is None else dy.pick_batch_elems(self.lengths, rows)
        covered = None if self.covered is None else self.covered.select(rows)
        return AttendedSource(self.memory.select(rows), lengths, self.jumps, covered)


class Attention:
    """alpha_t = softmax(scores) (Neubig 2017, Eq. 74 and 75)."""

    def __init__(self, score: Score):
        self.score = score

    def read(self, annotations: dy.Expression, lengths: np.ndarray) -> AttendedSource:
        """Prepare a batch of sources: annotations (H, S) x B and how many of the S are words, (B,)."""
        return AttendedSource(Memory.of(self.score, annotations, lengths))

    def after(self, attended: AttendedSource, query: dy.Expression, weights: dy.Expression) -> AttendedSource:
        """The source as the next step reads it: this one, with this query (H,) x B, had these weights (S, 1) x B."""
        return attended

    def weights(
        self, attended: AttendedSource, query: dy.Expression, step: int, before: dy.Expression | None
    ) -> dy.Expression:
        """alpha_t, (S, 1) x B, for the query h_t, (H,) x B. step: t, from 0; before: alpha_{t-1}, unless t is 0."""
        return attention_weights(self.score, attended.memory, query)
