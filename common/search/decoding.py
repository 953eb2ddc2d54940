"""Getting sentences out of a model: sampling, greedy search and beam search, many sentences side by side.

A model is anything with `vocab`, `start(number)`, `advance(state, words)` and, for beam search, `select(state, rows)`:
every language model of the course, and every translation model that is bound to its source sentences
(`translation.Conditional`), which has `vocabs`, one for each source. Where it has `next_words` too, words are chosen
within DyNet, which is faster.
Where a state has an `attention`, (rows, source words), it is kept with the words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from common.errors import UserError
from common.search.beams import Beam, EndScore, Hypothesis, Partial, ScoredBeam
from common.search.room import Room
from common.text.vocab import BEGIN, Vocabulary


class Searchable(Protocol):
    """The interface that search needs of a model."""

    vocab: Vocabulary

    def start(self, batch_size: int) -> Any:
        """The state before the first word of `batch_size` sentences."""
        ...

    def advance(self, state: Any, words: Sequence[int]) -> tuple[Any, np.ndarray]:
        """Read one word per sentence (`<s>` first): the new state, and log P(next word), (batch, vocabulary)."""
        ...

    def select(self, state: Any, rows: Sequence[int]) -> Any:
        """The state of these rows, in this order; a row may come more than once. Only beam search calls it."""
        ...


IN_DYNET = "common.search.in_dynet"
"""Only what is in DyNet loads it."""

Limit = int | Sequence[int]
"""The most words a sentence may have: one number, or one for each sentence."""


def sample(model: Searchable, number: int, rng: np.random.Generator, max_words: Limit = 100) -> list[Hypothesis]:
    """Draw `number` sentences from the model, word by word from P(next word | words so far) (Neubig 2017, Algorithm 3).

    A sentence that reaches `max_words` words is cut there and marked as not finished.
    """

    def step(state: Any, words: Sequence[int]) -> tuple[Any, np.ndarray, np.ndarray]:
        state, log_probs = next_words(model, state, words)
        return state, *drawn_from(log_probs, rng)

    return roll_out(model, number, step, max_words)


def greedy(model: Searchable, number: int, max_words: Limit = 100) -> list[Hypothesis]:
    """The sentences made of the most probable word at every step (Neubig 2017, section 7.2.2)."""

    def step(state: Any, words: Sequence[int]) -> tuple[Any, np.ndarray, np.ndarray]:
        state, best, log_probs = advance_best(model, state, words, 1)
        return state, best[:, 0], log_probs[:, 0]

    return roll_out(model, number, step, max_words)


def roll_out(
    model: Searchable,
    number: int,
    step: Callable[[Any, Sequence[int]], tuple[Any, np.ndarray, np.ndarray]],
    max_words: Limit,
) -> list[Hypothesis]:
    """Word by word: `step` reads the last word of each sentence and returns the next one and its log-probability.

    Raises `UserError` where no word can follow, as in a damaged file of n-grams.
    """
    limits = np.broadcast_to(max_words, number)
    found = [Partial() for _ in range(number)]
    finished = np.zeros(number, dtype=bool)
    state, words, room = model.start(number), np.full(number, Vocabulary.boundary), Room(model)
    for length in range(1, limits.max() + 1):
        state, words, log_probs = step(room.for_step(state, number), words.tolist())
        for row in np.flatnonzero(~finished):
            if not log_probs[row] > -np.inf:  # or not a number
                read = " ".join([BEGIN, *model.vocab.decode(found[row].ids)])
                raise UserError(f"after {read!r} the model gives no word a probability; mend the model or take another")
            found[row] = found[row].extended(words[row], log_probs[row], attention_of(state, row))
            finished[row] = words[row] == Vocabulary.boundary or length == limits[row]
        if finished.all():
            break
    return [partial.hypothesis(vocab) for partial, vocab in zip(found, vocabularies(model, number), strict=True)]


def drawn_from(log_probs: Any, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """One word per row, drawn from log P(next word) as `next_words` gives it, and its log P: (rows,) each."""
    if not isinstance(log_probs, np.ndarray):
        from common.search import in_dynet

        return in_dynet.drawn_from(log_probs, rng)
    words = np.array([draw(row, rng) for row in log_probs])
    return words, log_probs[np.arange(len(words)), words]


def draw(log_probs: np.ndarray, rng: np.random.Generator) -> int:
    """One id from a distribution given as log-probabilities (V,): where its running sum passes a random number.

    Any id where no word has a probability.
    """
    cumulative = np.cumsum(np.exp(log_probs, dtype=np.float64))
    place = int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))
    return min(place, len(cumulative) - 1)


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
    state, room = model.start(number), Room(model)
    for step in range(1, max(limits) + 1):
        words = [partial.last for beam in beams for partial in beam.live]
        state, best, log_probs = advance_best(model, room.for_step(state, len(words)), words, candidates)
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
    each = zip(beams, vocabularies(model, number), strict=True)
    return [[partial.hypothesis(vocab) for partial in beam.found()] for beam, vocab in each]


def vocabularies(model: Searchable, number: int) -> list[Vocabulary]:
    """That of each of `number` sentences side by side: a translation may have words of its source alone."""
    each = getattr(model, "vocabs", [model.vocab])
    return [vocab for vocab in each for _ in range(number // len(each))]


def advance_best(
    model: Searchable, state: Any, words: Sequence[int], number: int
) -> tuple[Any, np.ndarray, np.ndarray]:
    """Read one word per row: the new state, the `number` best next words and their log P, (rows, number) each.

    They are in no particular order.
    """
    state, log_probs = next_words(model, state, words)
    if not isinstance(log_probs, np.ndarray):
        from common.search import in_dynet

        return state, *in_dynet.best_of(log_probs, number)
    if number == 1:
        best = log_probs.argmax(axis=1)[:, None]
    else:
        number = min(number, log_probs.shape[1])
        best = np.argpartition(-log_probs, number - 1, axis=1)[:, :number]
    return state, best, np.take_along_axis(log_probs, best, axis=1)


def next_words(model: Searchable, state: Any, words: Sequence[int]) -> tuple[Any, Any]:
    """Read one word per row: the new state, and log P(next word), an array (rows, V) or, in DyNet, (V,) x rows."""
    return getattr(model, "next_words", model.advance)(state, words)


def attention_of(state: Any, row: int) -> np.ndarray | None:
    """What the last step of this row attended to, (source words,), where the model shows it."""
    attention = getattr(state, "attention", None)
    return None if attention is None else attention[row]
