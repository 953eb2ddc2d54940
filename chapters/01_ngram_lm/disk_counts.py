"""Counting n-grams of all orders where the text and its n-grams do not fit into memory.

The text is cut into parts. Each is counted as counts.py does it, and its levels are written. An n-gram has one number
in its part and another one in the whole text, but both follow the order of its words. So the levels of the parts stay
sorted when they get the numbers of the whole text; they are runs that can be merged. Then equal n-grams stand together,
and their counts are added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from common.executor import completed

from .counts import Level, count_text, count_words
from .sorting import Rows, groups, merge


@dataclass(frozen=True)
class DiskLevel:
    """All different n-grams of one order from 2 on, as in `counts.Level`, but in files.

    opening: how many of them begin with `<s>`: the first so many, because the id of `<s>` is 0.
    """

    keys: Rows
    counts: Rows
    suffixes: Rows
    opening: int


def count_on_disk(
    parts: Iterable[np.ndarray],
    order: int,
    vocabulary_size: int,
    place: Path,
    most: int,
    pool: Executor | None = None,
) -> tuple[Level, list[DiskLevel]]:
    """Count the n-grams of orders 1 to `order`: the first level, in memory, and the others, in the folder `place`.

    parts: ids of whole sentences, a boundary at the beginning and the end of each and between two sentences. most:
    about how many rows are held in memory at a time, when parts are merged. pool: counts the parts; without one they
    are counted here, one after the other.
    """
    paths, futures = [], {}
    for number, ids in enumerate(parts):
        path = place.resolve() / f"part{number}"
        path.write_bytes(ids.tobytes())
        paths.append(path)
        if pool is None:
            count_part(path, order, vocabulary_size)
        else:
            futures[pool.submit(count_part, path, order, vocabulary_size)] = path
    for _ in completed(futures):
        pass
    first = count_words(np.empty(0, dtype=np.int64), vocabulary_size)
    counts = sum((np.fromfile(level_of(path, 1), np.int64) for path in paths), start=first.counts)
    levels, opening = [], 1
    for n in range(2, order + 1):
        levels.append(merge_level(paths, n, opening * vocabulary_size, vocabulary_size, most))
        opening = levels[-1].opening
    return replace(first, counts=counts), levels


def count_part(path: Path, order: int, vocabulary_size: int) -> None:
    """Count the n-grams of a part of the text, and replace its file by one for each order.

    The first has the count of every word, the others rows (key, suffix, count), all with the numbers of this part.
    """
    text = np.fromfile(path, np.int64)
    first, *levels = count_text(text[:-1], text[1:], order, vocabulary_size)
    level_of(path, 1).write_bytes(first.counts.tobytes())
    for n, level in enumerate(levels, start=2):
        level_of(path, n).write_bytes(np.column_stack([level.keys, level.suffixes, level.counts]).tobytes())
    path.unlink()


def level_of(path: Path, order: int) -> Path:
    """The file with an order of a part."""
    return path.with_suffix(f".{order}")


def merge_level(paths: Sequence[Path], order: int, opening: int, vocabulary_size: int, most: int) -> DiskLevel:
    """A level of the whole text from those of its parts.

    Beside each part it leaves what its n-grams' numbers are in the whole text, which the next order needs. opening:
    n-grams with keys below it begin with `<s>`.
    """
    place = paths[0].parent
    runs, ends = Rows(place / "runs", 4), []
    for part, path in enumerate(paths):
        runs.add(renumbered(path, order, part, vocabulary_size))
        ends.append(len(runs))
        level_of(path, order).unlink()
    keys, counts, suffixes = (Rows(place / f"{name}.{order}") for name in ("keys", "counts", "suffixes"))
    numbers, opens = [Rows(path.with_suffix(".numbers")) for path in paths], 0
    for rows, new, sums in groups(merge(runs, ends, max(most // len(ends), 1)), summed=2):
        begins = np.zeros(len(rows), dtype=np.int64)
        begins[new] = 1
        ngram_numbers = len(keys) - 1 + np.cumsum(begins)
        by_part = np.argsort(rows[:, 3].astype(np.min_scalar_type(len(numbers))), kind="stable")
        stops = np.cumsum(np.bincount(rows[:, 3], minlength=len(numbers)))
        for numbers_of_part, places in zip(numbers, np.split(by_part, stops[:-1]), strict=True):
            numbers_of_part.add(ngram_numbers[places])
        keys.add(rows[new, 0])
        suffixes.add(rows[new, 1])
        counts.add(sums)
        opens += int((rows[new, 0] < opening).sum())
    runs.remove()
    return DiskLevel(keys, counts, suffixes, opens)


def renumbered(path: Path, order: int, part: int, vocabulary_size: int) -> np.ndarray:
    """A level of a part as rows (key, suffix, count, part), with the numbers of the whole text."""
    keys, suffixes, counts = np.fromfile(level_of(path, order), np.int64).reshape(-1, 3).T
    contexts, words = np.divmod(keys, vocabulary_size)
    if order > 2:  # the numbers of words are the same everywhere
        numbers = np.fromfile(path.with_suffix(".numbers"), np.int64)
        contexts, suffixes = numbers[contexts], numbers[suffixes]
    return np.column_stack([contexts * vocabulary_size + words, suffixes, counts, np.full(len(keys), part)])
