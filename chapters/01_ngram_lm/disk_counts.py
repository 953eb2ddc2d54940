"""Counting n-grams of all orders as counts.py does, where the text and its n-grams do not fit into memory.

For each order the text is sorted twice. A row a prediction, sorted by the keys of the n-grams, brings equal n-grams
together: they are counted, and numbered in the order of their keys. Sorted by position, the rows are the text again,
now with the numbers of its n-grams, which are the contexts of the next order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from common.text.vocab import Vocabulary

from .counts import Level, count_words
from .sorting import Rows, Sorter, groups


@dataclass(frozen=True)
class DiskLevel:
    """All different n-grams of one order from 2 on, as in `counts.Level`, but in files.

    opening: how many of them begin with `<s>`: the first so many, because the id of `<s>` is 0.
    """

    keys: Rows
    counts: Rows
    suffixes: Rows
    opening: int


Text = Iterator[np.ndarray]
"""The text in chunks of rows (position, number of the n-gram that ends there, word that it ends with)."""


def count_on_disk(
    sentences: Iterable[Sequence[int]], order: int, vocabulary_size: int, place: Path, most: int
) -> tuple[Level, list[DiskLevel]]:
    """Count the n-grams of orders 1 to `order`: the first level, in memory, and the others, in the folder `place`.

    most: about how many rows are held in memory at a time.
    """
    counts = np.zeros(vocabulary_size, dtype=np.int64)
    text, levels, opening = words_of(sentences, most, counts), [], 1
    for n in range(2, order + 1):
        by_key = Sorter(place / "by_key", 3, most)
        for rows in longer(text, vocabulary_size, across=n == 2):
            by_key.add(rows)
        by_position = Sorter(place / "by_position", 3, most) if n < order else None
        levels.append(count_level(by_key, by_position, place, n, opening * vocabulary_size, vocabulary_size))
        if by_position:
            text, opening = by_position.sorted(), levels[-1].opening
    if order == 1:
        for _ in text:  # counts its words
            pass
    words = count_words(np.empty(0, dtype=np.int64), vocabulary_size)
    return Level(words.keys, counts, words.contexts, words.suffixes, words.opens), levels


def words_of(sentences: Iterable[Sequence[int]], most: int, counts: np.ndarray) -> Text:
    """The text as its unigrams, whose numbers are the words; counts, (V,), grows by what is read.

    One row more stands before it, at the position -1: the `<s>` of the first sentence.
    """
    ids, position = [Vocabulary.boundary], -1
    for sentence in sentences:
        ids += sentence
        ids.append(Vocabulary.boundary)
        if len(ids) >= most:
            yield rows_of(ids, position, counts)
            ids, position = [], position + len(ids)
    if ids:
        yield rows_of(ids, position, counts)


def rows_of(ids: list[int], position: int, counts: np.ndarray) -> np.ndarray:
    words = np.array(ids, dtype=np.int64)
    counts += np.bincount(words[max(-position, 0) :], minlength=len(counts))
    return np.column_stack([np.arange(position, position + len(words)), words, words])


def longer(text: Text, vocabulary_size: int, across: bool) -> Iterator[np.ndarray]:
    """For each n-gram of the text that is one longer: its key, the number of its suffix, its position.

    across: whether the context may be the end of the sentence before, which is `<s>` to the next; only as one word.
    """
    last = np.empty((0, 3), dtype=np.int64)
    for rows in text:
        rows = np.concatenate([last, rows])
        first, second = rows[:-1], rows[1:]
        joined = (second[:, 0] == first[:, 0] + 1) & (across | (first[:, 2] != Vocabulary.boundary))
        keys = first[:, 1] * vocabulary_size + second[:, 2]
        yield np.column_stack([keys, second[:, 1], second[:, 0]])[joined]
        last = rows[-1:]


def count_level(
    by_key: Sorter, by_position: Sorter | None, place: Path, order: int, opening: int, vocabulary_size: int
) -> DiskLevel:
    """A level from rows (key, number of the suffix, position).

    by_position: gets the text as n-grams of this level, where a longer one is to be counted.
    opening: n-grams with keys below it begin with `<s>`.
    """
    keys, counts, suffixes = (Rows(place / f"{name}.{order}") for name in ("keys", "counts", "suffixes"))
    opens = 0
    for rows, new, sizes in groups(by_key.sorted()):
        if by_position:
            begins = np.zeros(len(rows), dtype=np.int64)
            begins[new] = 1
            numbers = len(keys) - 1 + np.cumsum(begins)
            by_position.add(np.column_stack([rows[:, 2], numbers, rows[:, 0] % vocabulary_size]))
        keys.add(rows[new, 0])
        suffixes.add(rows[new, 1])
        counts.add(sizes)
        opens += int((rows[new, 0] < opening).sum())
    return DiskLevel(keys, counts, suffixes, opens)
