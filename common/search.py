"""Getting sentences out of a model: sampling, greedy search and beam search, many sentences side by side.

A model is anything with `vocab`, `start(number)`, `advance(state, words)` and, for beam search, `select(state, rows)`:
every language model of the course, and every translation model that is bound to its source sentences
(`translation.Conditional`). Where it has `advance_best` too, search asks for the best next words only, which is faster.
Where a state has an `attention`, (rows, source words), it is kept with the words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from common.vocab import Vocabulary


class Hypothesis(NamedTuple):
    """A sentence that was found, and its log-probability in nats, `</s>` included where it was reached.

    attention: what each of its words, and `</s>`, attended to, (words + 1, source words), if the model tells.
    """

    words: list[str]
    log_prob: float
    finished: bool
    attention: np.ndarray | None = None


class Searchable(Protocol):
    """What search asks of a model."""

    vocab: Vocabulary

    def start(self, batch_size: int) -> Any:
        """The state before the first word of `batch_size` sentences."""
        ...

    def advance(self, state: Any, words: Sequence[int]) -> tuple[Any, np.ndarray]:
        """Read one word a sentence (`<s>` first): the new state, and log P(next word), (batch, vocabulary)."""
        ...

    def select(self, state: Any, rows: Sequence[int]) -> Any:
        """The state of these rows, in this order; a row may come more than once. Only beam search asks for it."""
        ...


Limit = int | Sequence[int]
"""The most words a sentence may have: one number, or one for each sentence."""


def sample(model: Searchable, number: int, rng: np.random.Generator, max_words: Limit = 100) -> list[Hypothesis]:
    """Draw `number` sentences from the model, word by word from P(next word | words so far) (Neubig 2017, Algorithm 3).

    A sentence that reaches `max_words` words is cut there and marked as not finished.
    """

    def step(state: Any, words: Sequence[int]) -> tuple[Any, np.ndarray, np.ndarray]:
        state, log_probs = model.advance(state, words)
        drawn = np.array([draw(row, rng) for row in log_probs])
        return state, drawn, log_probs[np.arange(number), drawn]

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
    """Word by word: `step` reads the last word of each sentence and tells the next one and its log-probability."""
    limits = np.broadcast_to(max_words, number)
    found = [Partial() for _ in range(number)]
    finished = np.zeros(number, dtype=bool)
    state, words = model.start(number), np.full(number, Vocabulary.boundary)
    for length in range(1, limits.max() + 1):
        state, words, log_probs = step(state, words.tolist())
        for row in np.flatnonzero(~finished):
            found[row] = found[row].extended(words[row], log_probs[row], attention_of(state, row))
            finished[row] = words[row] == Vocabulary.boundary or length == limits[row]
        if finished.all():
            break
    return [partial.hypothesis(model.vocab) for partial in found]


def draw(log_probs: np.ndarray, rng: np.random.Generator) -> int:
    """One id from a distribution given as log-probabilities (V,): where its running sum passes a random number."""
    cumulative = np.cumsum(np.exp(log_probs, dtype=np.float64))
    return int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))


def beam_search(model: Searchable, number: int, size: int, max_words: Limit = 100) -> list[list[Hypothesis]]:
    """For each of `number` sentences its best hypotheses, at most `size`, the most probable first.

    At every step all continuations of the hypotheses of a sentence compete, and the best stay: `size` of them, less
    those that have ended (Neubig 2017, section 7.2.3). What is still open at `max_words` words is cut there, and
    counts only if nothing has ended. The sentences share their batches but never compete with each other.
    """
    limits = np.broadcast_to(max_words, number)
    live = [[Partial()] for _ in range(number)]
    ended: list[list[Partial]] = [[] for _ in range(number)]
    state = model.start(number)
    for step in range(1, limits.max() + 1):
        state, best, log_probs = advance_best(model, state, [partial.last for beam in live for partial in beam], size)
        rows, first = [], 0
        for sentence, beam in enumerate(live):
            survivors = []
            rows_of_beam = slice(first, first + len(beam))
            for parent, word, log_prob in best_continuations(
                beam, best[rows_of_beam], log_probs[rows_of_beam], size - len(ended[sentence])
            ):
                row = first + parent
                longer = beam[parent].extended(word, log_prob, attention_of(state, row))
                if word == Vocabulary.boundary:
                    ended[sentence].append(longer)
                else:
                    survivors.append((longer, row))
            first += len(beam)
            if step == limits[sentence]:
                ended[sentence] = ended[sentence] or [partial for partial, _ in survivors]
                survivors = []
            live[sentence] = [partial for partial, _ in survivors]
            rows += [row for _, row in survivors]
        if not rows:
            break
        state = model.select(state, rows)
    return [
        [partial.hypothesis(model.vocab) for partial in sorted(beam, key=lambda partial: -partial.log_prob)]
        for beam in ended
    ]


def advance_best(
    model: Searchable, state: Any, words: Sequence[int], number: int
) -> tuple[Any, np.ndarray, np.ndarray]:
    """Read one word a row: the new state, the `number` best next words and their log P, (rows, number) each."""
    if hasattr(model, "advance_best"):
        return model.advance_best(state, words, number)
    state, log_probs = model.advance(state, words)
    if number == 1:
        best = log_probs.argmax(axis=1)[:, None]
    else:
        number = min(number, log_probs.shape[1])
        best = np.argpartition(-log_probs, number - 1, axis=1)[:, :number]
    return state, best, np.take_along_axis(log_probs, best, axis=1)


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
    chosen = zip(parents[order], words.ravel()[order], log_probs.ravel()[order], strict=True)
    return [(int(parent), int(word), float(log_prob)) for parent, word, log_prob in chosen if np.isfinite(log_prob)]


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


def attention_of(state: Any, row: int) -> np.ndarray | None:
    """What the last step of this row attended to, (source words,), for models that tell."""
    attention = getattr(state, "attention", None)
    return None if attention is None else attention[row]
