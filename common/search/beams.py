"""Beam search: which continuations of a sentence's beginnings stay, and what is best in the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from common.search.decoding import Hypothesis, Limit, Searchable, attention_of, forms, in_words, next_words, room_for
from common.search.length_prior import EndScore
from common.text.vocab import Vocabulary


@dataclass(frozen=True)
class Partial:
    """The beginning of a sentence during a search."""

    ids: tuple[int, ...] = ()
    log_prob: float = 0.0
    attention: tuple[np.ndarray, ...] = field(default=(), compare=False)

    @property
    def last(self) -> int:
        return self.ids[-1] if self.ids else Vocabulary.boundary

    def extended(self, word: int, log_prob: float, attention: np.ndarray | None) -> Partial:
        """One word longer."""
        rows = () if attention is None else (attention,)
        return Partial((*self.ids, int(word)), self.log_prob + float(log_prob), self.attention + rows)

    def hypothesis(self, *form: Any) -> Hypothesis:
        """In words. form: of `decoding.forms`."""
        return in_words(self.ids, self.log_prob, self.attention, *form)


class Beam:
    """The hypotheses of one sentence, by probability: `size` places, less one for each that has ended."""

    def __init__(self, size: int):
        self.size = size
        self.live, self.ended = [Partial()], []

    def advance(self, words: np.ndarray, log_probs: np.ndarray, attention: Sequence[np.ndarray | None]) -> list[int]:
        """Continue the live hypotheses, and return from which of them each new one comes.

        words, log_probs: as for `best_continuations`. attention: what the next word of each attended to.
        """
        parents = []
        before, self.live = self.live, []
        for parent, word, log_prob in best_continuations(before, words, log_probs, self.size - len(self.ended)):
            longer = before[parent].extended(word, log_prob, attention[parent])
            if word == Vocabulary.boundary:
                self.ended.append(longer)
            else:
                self.live.append(longer)
                parents.append(parent)
        return parents

    def cut(self) -> list[int]:
        """Let nothing go on; what is open counts only if nothing has ended."""
        self.ended = self.ended or self.live
        self.live = []
        return []

    def found(self) -> list[Partial]:
        """What has ended, the most probable first."""
        return sorted(self.ended, key=lambda partial: -partial.log_prob)


class ScoredBeam(Beam):
    """The hypotheses of one sentence, by a score of those that have ended: `size` places for them, `size` for the live.

    Live hypotheses are equally long, so that probability may decide between them. Those that have ended compete by
    their score with each other alone. A live one is given up where no ending can bring it among the best `size`.
    """

    def __init__(self, size: int, score: EndScore, limit: int):
        """limit: words after which a sentence is cut; one that ends has fewer."""
        super().__init__(size)
        self.score, self.longest = score, limit - 1

    def advance(self, words: np.ndarray, log_probs: np.ndarray, attention: Sequence[np.ndarray | None]) -> list[int]:
        parents = []
        before, self.live = self.live, []
        for parent, word, log_prob in best_continuations(before, words, log_probs, words.size):
            if word == Vocabulary.boundary:
                self.ended.append(before[parent].extended(word, log_prob, attention[parent]))
            elif len(self.live) < self.size:
                self.live.append(before[parent].extended(word, log_prob, attention[parent]))
                parents.append(parent)
        self.ended = self.found()[: self.size]
        hopeful = [place for place, partial in enumerate(self.live) if self.may_win(partial)]
        self.live = [self.live[place] for place in hopeful]
        return [parents[place] for place in hopeful]

    def may_win(self, partial: Partial) -> bool:
        """Whether a live hypothesis may still end among the best."""
        best = self.score.bound(partial.log_prob, len(partial.ids), self.longest)
        return len(self.ended) < self.size or (best, partial.log_prob) > self.rank(self.ended[-1])

    def rank(self, ended: Partial) -> tuple[float, float]:
        """Its score, and its log-probability for where scores are equal."""
        return self.score(ended.log_prob, len(ended.ids) - 1), ended.log_prob

    def found(self) -> list[Partial]:
        """What has ended, the highest score first; or else what was cut, the most probable first."""
        if self.ended and self.ended[0].last != Vocabulary.boundary:
            return super().found()
        return sorted(self.ended, key=self.rank, reverse=True)


def best_continuations(
    beam: Sequence[Partial], words: np.ndarray, log_probs: np.ndarray, number: int
) -> list[tuple[int, int, float]]:
    """The `number` most probable continuations of a beam: (which hypothesis, next word, its log-probability).

    words, log_probs: the best next words of each hypothesis, (hypotheses, at least `number` or all). What has no
    probability at all is never among them. Among equals, the earlier hypothesis and the smaller word id come first.
    """
    if not beam or number < 1:
        return []
    totals = np.array([[partial.log_prob] for partial in beam]) + log_probs
    parents = np.repeat(np.arange(len(beam)), words.shape[1])
    order = np.lexsort((words.ravel(), parents, -totals.ravel()))[:number]
    best = zip(parents[order], words.ravel()[order], log_probs.ravel()[order], strict=True)
    return [(int(parent), int(word), float(log_prob)) for parent, word, log_prob in best if np.isfinite(log_prob)]


def advance_best(
    model: Searchable, state: Any, words: Sequence[int], number: int
) -> tuple[Any, np.ndarray, np.ndarray]:
    """Read one word per row: the new state, the `number` best next words and their log P, (rows, number) each.

    They are in no particular order.
    """
    state, log_probs = next_words(model, state, words)
    if not isinstance(log_probs, np.ndarray):
        return state, *best_of(log_probs, number)
    number = min(number, log_probs.shape[1])
    best = np.argpartition(-log_probs, number - 1, axis=1)[:, :number]
    return state, best, np.take_along_axis(log_probs, best, axis=1)


def best_of(log_probs: Any, number: int) -> tuple[np.ndarray, np.ndarray]:
    """The `number` most probable words of each row, all where V is less, and their log P: (rows, number) each.

    log_probs: an expression, (V,) x rows, of which only these few leave DyNet: the default one hands over numbers one
    by one. A word that a model forbids, since it has no minus infinity in DyNet, gets minus infinity here.
    """
    from common.nn.softmax import FORBIDDEN

    (size,), rows = log_probs.dim()
    best = log_probs.tensor_value().topk(0, min(number, size))
    values, words = (part.as_numpy().reshape(-1, rows, order="F").T for part in best)
    return words, np.where(values > FORBIDDEN / 2, values, -np.inf)


def beam_search(
    model: Searchable, number: int, size: int, max_words: Limit = 100, scores: Sequence[EndScore] | None = None
) -> list[list[Hypothesis]]:
    """For each of `number` sentences its best hypotheses, at most `size`, the best first.

    At every step all continuations of the hypotheses of a sentence compete (Neubig 2017, section 7.2.3). What is best
    is the most probable (`Beam`), or what has the highest of `scores`, one per sentence (`ScoredBeam`). What is still
    open at `max_words` words is cut there, and counts only if nothing has ended. The sentences share their batches but
    never compete with each other.
    """
    limits = np.broadcast_to(max_words, number).tolist()
    if scores is None:
        beams, candidates = [Beam(size) for _ in limits], size
    else:  # one word more, so that as many go on where `</s>` is among them
        beams, candidates = [ScoredBeam(size, *pair) for pair in zip(scores, limits, strict=True)], size + 1
    state, with_room = model.start(number), room_for(model, number * size, max(limits))
    for step in range(1, max(limits) + 1):
        words = [partial.last for beam in beams for partial in beam.live]
        state, best, log_probs = advance_best(model, with_room(state, len(words)), words, candidates)
        rows, first = [], 0
        for beam, limit in zip(beams, limits, strict=True):
            own = range(first, first + len(beam.live))
            first = own.stop
            attention = [attention_of(state, row) for row in own]
            parents = beam.advance(best[own.start : own.stop], log_probs[own.start : own.stop], attention)
            if step == limit:
                parents = beam.cut()
            rows += [own[parent] for parent in parents]
        if not rows:
            break
        state = model.select(state, rows)
    pairs = zip(beams, forms(model, number), strict=True)
    return [[partial.hypothesis(*form) for partial in beam.found()] for beam, form in pairs]
