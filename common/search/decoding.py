"""Getting sentences out of a model word by word, many side by side: greedy search, and what every search shares.

A model is anything `Searchable`: every language model of the course, and every translation model that is bound to its
source sentences (`translation.Conditional`), which has `vocabs`, one for each source. Where it has `next_words` too,
words are chosen within DyNet, which is faster. A state's `attention`, (rows, source words), is kept with the words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from common import runtime
from common.errors import UserError
from common.text.vocab import BEGIN, Vocabulary


class Hypothesis(NamedTuple):
    """A sentence that was found, and its log-probability in nats, `</s>` included where it was reached.

    attention: what each of its words, and `</s>`, attended to, (words + 1, source words), where the model shows it.
    """

    words: list[str]
    log_prob: float
    finished: bool
    attention: np.ndarray | None = None


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


Limit = int | Sequence[int]
"""The most words a sentence may have: one number, or one for each sentence."""


def greedy(model: Searchable, number: int, max_words: Limit = 100) -> list[Hypothesis]:
    """The sentences made of the most probable word at every step (Neubig 2017, section 7.2.2)."""

    def step(state: Any, words: Sequence[int]) -> tuple[Any, np.ndarray, np.ndarray]:
        state, log_probs = next_words(model, state, words)
        return state, *best_word(log_probs)

    return roll_out(model, number, step, max_words)


def roll_out(
    model: Searchable,
    number: int,
    step: Callable[[Any, Sequence[int]], tuple[Any, np.ndarray, np.ndarray]],
    max_words: Limit,
) -> list[Hypothesis]:
    """Word by word: `step` reads the last word of each sentence and returns the next one and its log-probability.
    Raises `UserError` where no word can follow, as in a damaged file of n-grams."""
    limits, unfinished = np.broadcast_to(max_words, number), np.ones(number, dtype=bool)
    sentences: list[list[int]] = [[] for _ in range(number)]
    attended: list[list[np.ndarray]] = [[] for _ in range(number)]
    totals = np.zeros(number)
    state, words, longest = model.start(number), np.full(number, Vocabulary.boundary), int(limits.max())
    with_room = room_for(model, number, longest)
    for length in range(1, longest + 1):
        state, words, log_probs = step(with_room(state, number), words.tolist())
        for row in np.flatnonzero(unfinished):
            if not log_probs[row] > -np.inf:  # or not a number
                read = " ".join([BEGIN, *model.vocab.decode(sentences[row])])
                raise UserError(f"after {read!r} the model gives every word the probability 0; use another model")
            sentences[row].append(int(words[row]))
            totals[row] += log_probs[row]
            attended[row] += [part for part in [attention_of(state, int(row))] if part is not None]
        unfinished &= (words != Vocabulary.boundary) & (length < limits)
        if not unfinished.any():
            break
    rows = zip(sentences, totals.tolist(), attended, forms(model, number), strict=True)
    return [in_words(ids, total, attention, *form) for ids, total, attention, form in rows]


def in_words(
    ids: Sequence[int],
    log_prob: float,
    attention: Sequence[np.ndarray],
    vocab: Vocabulary,
    source_words: int | None = None,
) -> Hypothesis:
    """The hypothesis of these word ids. source_words: behind these, its attention has columns of padding."""
    weights = np.array(attention)[:, :source_words] if attention else None
    return Hypothesis(vocab.decode(ids), log_prob, ids[-1] == Vocabulary.boundary, weights)


def forms(model: Searchable, number: int) -> list[tuple[Vocabulary, int | None]]:
    """For each of `number` sentences side by side its vocabulary, to which a translation may add words of its source,
    and, of a translation, how many words its source has."""
    sources = getattr(model, "sources", [None])
    lengths = [None if source is None else len(source) for source in sources]
    vocabs = getattr(model, "vocabs", [model.vocab] * len(lengths))
    return [form for form in zip(vocabs, lengths, strict=True) for _ in range(number // len(vocabs))]


def best_word(log_probs: Any) -> tuple[np.ndarray, np.ndarray]:
    """The most probable word of each row and its log P, (rows,) each. log_probs: as of `next_words`."""
    if isinstance(log_probs, np.ndarray):
        words = log_probs.argmax(axis=1)
        return words, log_probs[np.arange(len(words)), words]
    import dynet as dy

    from common.nn.softmax import as_rows

    words = log_probs.tensor_value().argmax(0).as_numpy().ravel()
    return words, as_rows(dy.pick_batch(log_probs, words.tolist()))[:, 0]


def next_words(model: Searchable, state: Any, words: Sequence[int]) -> tuple[Any, Any]:
    """Read one word per row: the new state, and log P(next word), an array (rows, V) or, in DyNet, (V,) x rows."""
    return getattr(model, "next_words", model.advance)(state, words)


def attention_of(state: Any, row: int) -> np.ndarray | None:
    """What the last step of this row attended to, (source words,), where the model shows it."""
    attention = getattr(state, "attention", None)
    return None if attention is None else attention[row]


def room_for(model: Any, rows: int, steps: int) -> Callable[[Any, int], Any]:
    """Gives, before each step, a state with so many rows in a graph that has room for it, mostly the same one. A model
    whose states are all plain numbers (`plain_states`) has a new graph every step."""
    if runtime.memory_watched or getattr(model, "plain_states", False):
        from common.search import room

        return room.room_for(model, rows, steps)
    return lambda state, rows: state
