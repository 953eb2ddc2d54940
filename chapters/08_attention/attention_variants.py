"""The choices of --attention, and what flags add to the scores: biases, coverage. Only they load this file."""

from __future__ import annotations

from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.nn.source_attention import Attention, Memory, Score, attention_weights

from . import coverage
from .attention_priors import MarkovBias, PositionBias
from .local_attention import LocalWindow, MonotonicWindow
from .settings import COVERAGES


class AttendedSource(NamedTuple):
    """A batch of sources as these kinds of attention read them. All but `covered` is the same for every step.

    lengths: words of each source, (1, 1) x B, where the attention is local; jumps: the matrix of a Markov bias, (S, S);
    covered: what attention the words have got so far, where a coverage model wants it.
    """

    memory: Memory
    lengths: dy.Expression | None = None
    jumps: dy.Expression | None = None
    covered: coverage.Covered | None = None

    @property
    def annotations(self) -> dy.Expression:
        """Of the words, (H, S) x B."""
        return self.memory.annotations

    @property
    def words(self) -> int:
        return self.annotations.dim()[0][1]

    def select(self, rows: list[int]) -> AttendedSource:
        """The sources of these sentences, in this order."""
        lengths = None if self.lengths is None else dy.pick_batch_elems(self.lengths, rows)
        covered = None if self.covered is None else self.covered.select(rows)
        return AttendedSource(self.memory.select(rows), lengths, self.jumps, covered)


class BiasedAttention(Attention):
    """alpha_t = softmax(scores + biases): what sections 8.6 and 8.7 add to the scores, and coverage to the keys."""

    def __init__(self, collection: dy.ParameterCollection, score: Score, settings: Any, pace: float):
        """pace: source words for each target word in the training pairs."""
        super().__init__(score)
        self.position = PositionBias(collection, pace) if settings.position_bias else None
        self.markov = MarkovBias(collection, settings.window) if settings.markov else None
        sizes, name = (settings.hidden_size, settings.init_scale), COVERAGES[settings.coverage_model]
        self.coverage = getattr(coverage, name)(collection, *sizes) if name else None

    def read(self, annotations: dy.Expression, lengths: np.ndarray) -> AttendedSource:
        attended = AttendedSource(super().read(annotations, lengths))
        if self.markov:
            attended = attended._replace(jumps=self.markov.matrix(attended.words))
        if self.coverage:
            attended = attended._replace(covered=self.coverage.begin(annotations))
        return attended

    def __call__(
        self, source: AttendedSource, query: dy.Expression, step: int, before: dy.Expression | None
    ) -> tuple[dy.Expression, AttendedSource]:
        weights = self.weights(source, query, step, before)
        if self.coverage:
            source = source._replace(covered=self.coverage.add(source.covered, query, weights))
        return weights, source

    def memory(self, attended: AttendedSource) -> Memory:
        """What is scored: where there is a coverage model, with the words' coverage in their keys."""
        return self.coverage.tell(attended.memory, attended.covered) if self.coverage else attended.memory

    def weights(
        self, attended: AttendedSource, query: dy.Expression, step: int, before: dy.Expression | None
    ) -> dy.Expression:
        """alpha_t, (S, 1) x B."""
        biases = []
        if self.position:
            biases.append(self.position.scores(attended.words, step))
        if self.markov and before is not None:
            biases.append(attended.jumps * before)
        return attention_weights(self.score, self.memory(attended), query, *biases)


class HardAttention(BiasedAttention):
    """All weight on the one word that has the most."""

    def weights(
        self, attended: AttendedSource, query: dy.Expression, step: int, before: dy.Expression | None
    ) -> dy.Expression:
        return one_word(super().weights(attended, query, step, before))


def one_word(weights: dy.Expression) -> dy.Expression:
    """1 for the word of the largest weight and 0 for all others, (S, 1) x B; of equal ones the first.

    A step function has no slope that could be learnt from. The straight-through estimator (Bengio et al. 2013) takes
    that of the identity: going back, the gradient for these numbers is handed to the softmax weights as it is. So
    words that were not seen learn too, from what seeing them would have changed. It is a biased estimate of a gradient
    that does not exist; there is no sampling, and training and search compute the same.
    """
    (words, _), batch = weights.dim()
    largest = dy.argmax(dy.reshape(weights, (words,), batch), gradient_mode="straight_through_gradient")
    return dy.reshape(largest, (words, 1), batch)


class WindowAttention(BiasedAttention):
    """Weight on the words of a window, and none elsewhere: what the two kinds of local attention share."""

    def read(self, annotations: dy.Expression, lengths: np.ndarray) -> AttendedSource:
        words = dy.reshape(dy.inputTensor(lengths.astype(float)), (1, 1), len(lengths))
        return super().read(annotations, lengths)._replace(lengths=words)


class LocalAttention(WindowAttention):
    """The words around a place that is predicted from the query, the further from it the less ("local-p")."""

    def __init__(self, collection: dy.ParameterCollection, score: Score, settings: Any, pace: float):
        super().__init__(collection, score, settings, pace)
        H = settings.hidden_size
        self.local = LocalWindow(collection, H, H, settings.window, settings.init_scale)

    def weights(
        self, attended: AttendedSource, query: dy.Expression, step: int, before: dy.Expression | None
    ) -> dy.Expression:
        window = self.local.window_for(query, attended.lengths, attended.words)
        return dy.cmult(attention_weights(self.score, self.memory(attended), query, window.outside), window.gaussian)


class MonotonicAttention(WindowAttention):
    """The words around the place whose number is that of the target word ("local-m")."""

    def __init__(self, collection: dy.ParameterCollection, score: Score, settings: Any, pace: float):
        super().__init__(collection, score, settings, pace)
        self.local = MonotonicWindow(settings.window)

    def weights(
        self, attended: AttendedSource, query: dy.Expression, step: int, before: dy.Expression | None
    ) -> dy.Expression:
        outside = self.local.outside(step, attended.lengths, attended.words)
        return attention_weights(self.score, self.memory(attended), query, outside)
