"""Getting sentences out of a model: sampling and greedy search, many sentences side by side.

A model is anything with `vocab`, `start(number)`, `advance(state, words)` and, for `beams.beam_search`,
`select(state, rows)`: every language model of the course, and every translation model that is bound to its source
sentences (`translation.Conditional`), which has `vocabs`, one for each source. Where it has `next_words` too, words are
chosen within DyNet, which is faster.
Where a state has an `attention`, (rows, source words), it is kept with the words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from common.errors import UserError
from common.search.room import Room
from common.text.vocab import BEGIN, Vocabulary


class Hypothesis(NamedTuple):
    """A sentence that was found, and its log-probability in nats, `</s>` included where it was reached.

    attention: what each of its words, and `</s>`, attended to, (words + 1, source words), where the model shows it.
    """

    words: list[str]
    log_prob: float
    finished: bool
    attention: np.ndarray | None = None


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
        seen = self.attention if attention is None else (*self.attention, attention)
        return Partial((*self.ids, int(word)), self.log_prob + float(log_prob), seen)

    def hypothesis(self, vocab: Vocabulary) -> Hypothesis:
        attention = np.array(self.attention) if self.attention else None
        return Hypothesis(vocab.decode(self.ids), self.log_prob, self.ids[-1] == Vocabulary.boundary, attention)


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
