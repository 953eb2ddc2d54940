"""Counting n-grams of all orders at once, without a loop over words.

A sentence is written as numbers, `<s>` before it and `</s>` after it; both are the id 0, because nothing ever
follows `</s>` and `<s>` is never predicted. An n-gram is its first n-1 words, the *context*, and the word after
them. Contexts are n-grams themselves, one shorter, and have numbers already when their turn comes; so an n-gram is
the pair (number of its context, word), and the pair is one integer: the *key*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from common.text.vocab import Vocabulary

NOWHERE = -1
"""The number of an n-gram that does not exist, or that would begin before `<s>`."""


@dataclass(frozen=True)
class Level:
    """All different n-grams of one order, numbered from 0 in the order of their keys. All arrays are (N,).

    keys: context * V + word, rising. counts: how often each was seen. contexts: its first n-1 words, as a number
    of the level below. suffixes: its last n-1 words, likewise. opens: whether it begins with `<s>`. kept: whether the
    model is to have it (pruning.py); without them it has all.
    On the first level there is an n-gram for every word of the vocabulary, seen or not; its context is the empty
    one, number 0, and its suffix is the word itself, because order zero, below it, is a distribution over words.
    """

    keys: np.ndarray
    counts: np.ndarray
    contexts: np.ndarray
    suffixes: np.ndarray
    opens: np.ndarray
    kept: np.ndarray | None = None


def join(sentences: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """All sentences as one text: for each prediction the word before it, and the word; both (predictions,)."""
    text = np.zeros(sum(len(sentence) + 1 for sentence in sentences) + 1, dtype=np.int64)
    position = 1
    for sentence in sentences:
        text[position : position + len(sentence)] = sentence
        position += len(sentence) + 1  # one 0 between two sentences: `</s>` as a target, `<s>` as an input
    return text[:-1], text[1:]


def count_ngrams(sentences: Sequence[Sequence[int]], order: int, vocabulary_size: int) -> list[Level]:
    """Count the n-grams of orders 1 to `order` in sentences of word ids. The first level is order 1.

    A context may begin with `<s>`, but reaches no further back: the first words of a sentence have shorter ones.
    """
    return count_text(*join(sentences), order, vocabulary_size)


def count_text(inputs: np.ndarray, targets: np.ndarray, order: int, vocabulary_size: int) -> list[Level]:
    """The same of sentences that are joined already."""
    levels = [count_words(targets, vocabulary_size)]
    numbers, contexts = targets, inputs
    opening = np.arange(vocabulary_size) == Vocabulary.boundary
    for _ in range(2, order + 1):
        level, numbers = count_level(contexts, numbers, targets, opening, vocabulary_size)
        levels.append(level)
        contexts, opening = before(numbers, inputs), level.opens
    return levels


def count_words(targets: np.ndarray, vocabulary_size: int) -> Level:
    """The first level: how often each word of the vocabulary is predicted."""
    words = np.arange(vocabulary_size)
    counts = np.bincount(targets, minlength=vocabulary_size)
    nothing = np.zeros_like(words)
    return Level(words, counts, nothing, words, nothing.astype(bool))


def count_level(
    contexts: np.ndarray, shorter: np.ndarray, targets: np.ndarray, opening: np.ndarray, vocabulary_size: int
) -> tuple[Level, np.ndarray]:
    """Count pairs of a context and a word; with the level comes the number of each position's n-gram.

    contexts, shorter, targets: for each prediction the number of its context, of the n-gram one shorter that ends
    there, and its word, all (predictions,). A prediction whose context is `NOWHERE` is not counted. opening: for
    each number of the level below whether it begins with `<s>` when it is a context.
    """
    places = np.flatnonzero(contexts != NOWHERE)
    keys = contexts[places] * vocabulary_size + targets[places]
    order = np.argsort(keys)  # np.unique keeps equal keys in order, which nobody needs, and takes three times as long
    places, keys = places[order], keys[order]
    begins = np.ones(len(keys), dtype=bool)
    begins[1:] = keys[1:] != keys[:-1]
    numbers = np.full(len(contexts), NOWHERE)
    numbers[places] = np.cumsum(begins) - 1
    first = np.flatnonzero(begins)
    of_context = keys[first] // vocabulary_size
    counts = np.diff(first, append=len(keys))
    return Level(keys[first], counts, of_context, shorter[places[first]], opening[of_context]), numbers


def before(numbers: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """The n-gram that ends one step earlier, where that is in the same sentence: the context of the next order."""
    return np.where(inputs == Vocabulary.boundary, NOWHERE, np.concatenate([[NOWHERE], numbers[:-1]]))
