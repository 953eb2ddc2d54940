"""How a step of the decoder computes its weights: a score, biases, and the source words that it may attend to."""

from __future__ import annotations

from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.nn.attention import Score
from common.nn.source_attention import SCORES, Memory, attention_weights

from .attention_priors import MarkovBias, PositionBias
from .coverage import COVERAGES, Covered
from .hard_attention import one_word
from .local_attention import LocalWindow, MonotonicWindow


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
    """alpha_t = softmax(scores) (Neubig 2017, Eq. 74 and 75), and what sections 8.6 and 8.7 change about it.

    windowed: whether there is a place around which words are seen.
    """

    windowed = False

    def __init__(self, collection: dy.ParameterCollection, score: Score, settings: Any, pace: float):
        """pace: source words for each target word in the training pairs."""
        self.score = score
        self.position = PositionBias(collection, pace) if settings.position_bias else None
        self.markov = MarkovBias(collection, settings.window) if settings.markov else None
        self.coverage = COVERAGES[settings.coverage_model](collection, settings.hidden_size, settings.init_scale)

    def read(self, annotations: dy.Expression, lengths: np.ndarray) -> AttendedSource:
        """Prepare a batch of sources: annotations (H, S) x B and how many of the S are words, (B,)."""
        attended = AttendedSource(Memory.of(self.score, annotations, lengths))
        if self.markov:
            attended = attended._replace(jumps=self.markov.matrix(attended.words))
        if self.coverage:
            attended = attended._replace(covered=self.coverage.begin(annotations))
        return attended

    def after(self, attended: AttendedSource, query: dy.Expression, weights: dy.Expression) -> AttendedSource:
        """The source as the next step reads it: this one, with this query (H,) x B, had these weights (S, 1) x B."""
        if self.coverage is None:
            return attended
        return attended._replace(covered=self.coverage.add(attended.covered, query, weights))

    def memory(self, attended: AttendedSource) -> Memory:
        """What is scored: where there is a coverage model, with the words' coverage in their keys."""
        return self.coverage.tell(attended.memory, attended.covered) if self.coverage else attended.memory

    def weights(
        self, attended: AttendedSource, query: dy.Expression, step: int, before: dy.Expression | None
    ) -> dy.Expression:
        """alpha_t, (S, 1) x B, for the query h_t, (H,) x B. step: t, from 0; before: alpha_{t-1}, unless t is 0."""
        biases = []
        if self.position:
            biases.append(self.position.scores(attended.words, step))
        if self.markov and before is not None:
            biases.append(attended.jumps * before)
        return attention_weights(self.score, self.memory(attended), query, *biases)


class HardAttention(Attention):
    """All weight on the one word that has the most."""

    def weights(
        self, attended: AttendedSource, query: dy.Expression, step: int, before: dy.Expression | None
    ) -> dy.Expression:
        return one_word(super().weights(attended, query, step, before))


class WindowAttention(Attention):
    """Weight on the words of a window, and none elsewhere: what the two kinds of local attention share."""

    windowed = True

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


ATTENTIONS = {"soft": Attention, "hard": HardAttention, "local": LocalAttention, "local-m": MonotonicAttention}
"""The choices of --attention."""


def make_score(collection: dy.ParameterCollection, settings: Any) -> Score:
    """The attention score that the settings name."""
    return SCORES[settings.score](collection, settings.hidden_size, settings.init_scale)


def describe(settings: Any) -> str:
    """The kind of attention in words, for the name of a model: different for all that have other parameters, but for
    the window of --markov."""
    parts = ["attention" if settings.attention == "soft" else f"{settings.attention} attention"]
    parts += [name for name in ("position_bias", "markov", "fertility") if getattr(settings, name)]
    parts += [f"{settings.coverage_model} coverage"] if settings.coverage_model != "none" else []
    parts += [f"{settings.readout} state"] if settings.readout != "plain" else []
    parts += [f"{settings.feed} fed"] if settings.feed != "context" else []
    parts += [f"{settings.encoder} encoder"] if settings.encoder != "bidirectional" else []
    return " + ".join(parts).replace("_", " ") + f", {settings.score}"
