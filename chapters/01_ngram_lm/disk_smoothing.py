"""Estimating a model from counts on disk: what smoothing.py computes for a whole level, a part of it at a time.

Parts end where a context ends, so every sum over the followers of a context is one in memory, too, of the same numbers
in the same order: the model is the same to the last bit. An n-gram needs what its suffix has, which stands anywhere in
the level below. So rows of n-grams are sorted by their suffixes, read along with that level, and sorted back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from common.text.vocab import Vocabulary

from .counts import Level
from .disk_counts import DiskLevel
from .model import ENDS, NgramLM
from .pruning import give_back
from .smoothing import Estimate, counts_of_counts, discounts_of, subtract, witten_bell
from .sorting import Rows, Sorter, groups

EstimatePart = Callable[[Level, int], Estimate]
"""own and mass of a part of a level, with that number of contexts."""


class DiskMethod(NamedTuple):
    """A smoothing method that needs to see all counts of a level only to know how many of them are 1, 2, 3 and 4.

    continuation: whether it is by the counts of Kneser and Ney. begin: makes the estimate of n_0 ... n_4.
    """

    continuation: bool
    begin: Callable[[np.ndarray], EstimatePart]


def discounting(number: int) -> Callable[[np.ndarray], EstimatePart]:
    """As `smoothing.absolute`."""

    def begin(n: np.ndarray) -> EstimatePart:
        discounts = discounts_of(n, number)
        return lambda level, contexts: subtract(level, contexts, discounts)

    return begin


DISK_METHODS = {
    "witten-bell": DiskMethod(False, lambda n: lambda level, contexts: witten_bell(0, level, contexts)),
    "absolute": DiskMethod(False, discounting(1)),
    "kneser-ney": DiskMethod(True, discounting(1)),
    "modified-kneser-ney": DiskMethod(True, discounting(3)),
}
"""The methods of `methods.METHODS` that can be estimated on disk: no weights tuned, no sums over the level below."""


class DiskModel:
    """The arrays of an `NgramLM` in files that grow, in a folder; those of one order after those of the order below.

    kept: of each n-gram counted of the last order that has begun, whether the model has it. contexts: the same of the
    order below, and `passed` how many of those have been dealt with.
    """

    def __init__(self, place: Path):
        self.place = place
        self.keys: list[Rows] = []
        self.log_probs: list[Rows] = []
        self.log_factors: list[Rows] = []
        self.kept = self.contexts = Rows(place / "kept.0", kind=bool)
        self.passed = 0

    def begin_order(self) -> Rows:
        """For the probabilities of all its n-grams, which only the next order needs: no rows yet."""
        order = len(self.keys) + 1
        if self.keys:
            self.log_factors.append(Rows(self.place / f"log_factors.{order - 1}", kind=np.float64))
        self.keys.append(Rows(self.place / f"model_keys.{order}"))
        self.log_probs.append(Rows(self.place / f"log_probs.{order}", kind=np.float64))
        self.contexts, self.passed = self.kept, 0
        self.kept = Rows(self.place / f"kept.{order}", kind=bool)
        return Rows(self.place / f"probs.{order}", kind=np.float64)

    def add(self, keys: np.ndarray, probs: np.ndarray, kept: np.ndarray) -> None:
        """Those of the next n-grams of the order that are kept."""
        self.kept.add(kept)
        self.keys[-1].add(keys[kept])
        self.log_probs[-1].add(log(probs[kept]))

    def add_factors(self, contexts: np.ndarray, mass: np.ndarray, stop: int, most: int) -> np.ndarray:
        """Write the factors of the kept contexts below `stop` that are not written yet: 1 where nothing followed.

        What comes back are the numbers that the given contexts have among those that are kept.
        """
        factors, numbers = self.log_factors[-1], [contexts[:0]]
        for start in range(self.passed, stop, most):
            logs = np.zeros(min(most, stop - start))
            here = slice(*np.searchsorted(contexts, [start, start + len(logs)]))
            places, kept = contexts[here] - start, self.contexts.read(start, start + len(logs))
            logs[places] = log(mass[here])
            numbers.append((len(factors) - 1 + np.cumsum(kept))[places])
            factors.add(logs[kept])
        self.passed = stop
        return np.concatenate(numbers)

    def mapped(self, vocab: Vocabulary) -> NgramLM:
        """The model once all is written. It reads the files where it looks something up."""
        parts = (self.keys, self.log_probs, self.log_factors)
        for part, end in zip(parts, ENDS, strict=True):
            for rows in part:
                rows.add(np.array([end]))
        keys, log_probs, log_factors = ([rows.mapped() for rows in part] for part in parts)
        return NgramLM(vocab, keys, log_probs, log_factors, ended=True)


def log(numbers: np.ndarray) -> np.ndarray:
    """Natural logarithms; that of 0 is minus infinity."""
    with np.errstate(divide="ignore"):
        return np.log(numbers)


def interpolate_on_disk(
    vocab: Vocabulary,
    first: Level,
    levels: list[DiskLevel],
    zero: np.ndarray,
    method: DiskMethod,
    place: Path,
    most: int,
    thresholds: Sequence[int],
) -> NgramLM:
    """As `pruning.interpolate_kept`; the model's files are in the folder `place`, those of the levels are used up.

    first, levels: as `count_on_disk` gives them. most: about how many rows are held in memory at a time. thresholds:
    for each order, as for `pruning.mark`.
    """
    model = DiskModel(place)
    if method.continuation and levels:
        before = sum(np.bincount(some, minlength=len(vocab)) for some in levels[0].suffixes.chunks(most))
        first = replace(first, counts=before + np.zeros_like(first.keys))
    own, mass = method.begin(counts_of_counts(first.counts))(first, 1)
    lower = own + mass[first.contexts] * zero[first.suffixes]
    probs = model.begin_order()
    probs.add(lower)
    model.add(first.keys, lower, np.ones(len(lower), dtype=bool))
    by_suffix = [sort_suffixes(level, place / f"by_suffix.{n}", most) for n, level in enumerate(levels, start=2)]
    for number, level in enumerate(levels):
        counts, below = level.counts, lower_probs(by_suffix[number], probs, place, most)
        if method.continuation and level is not levels[-1]:
            counts = continuation_counts(level, by_suffix[number + 1], place / "continuations", most)
        probs = interpolate_level(model, level, counts, below, method, thresholds[number + 1], len(vocab), most)
    return model.mapped(vocab)


def sort_suffixes(level: DiskLevel, path: Path, most: int) -> Rows:
    """The n-grams of a level as rows (number of the suffix, number), in the order of the first."""
    sorter, start = Sorter(path.with_name("suffixes"), 2, most), 0
    for suffixes in level.suffixes.chunks(most):
        sorter.add(np.column_stack([suffixes, np.arange(start, start + len(suffixes))]))
        start += len(suffixes)
    level.suffixes.remove()
    rows = Rows(path, 2)
    for some in sorter.sorted():
        rows.add(some)
    return rows


def lower_probs(by_suffix: Rows, probs: Rows, place: Path, most: int) -> Rows:
    """For each n-gram of a level, in their order, the probability of its suffix. probs: of the level below.

    Suffixes that follow each other have numbers side by side, since only n-grams that begin with `<s>`, the first of
    their level, are no suffixes; so few probabilities are read at a time.
    """
    back = Sorter(place / "back", 2, most)
    for rows in by_suffix.chunks(most):
        first, last = rows[0, 0], rows[-1, 0]
        lower = probs.read(first, last + 1)[rows[:, 0] - first]
        back.add(np.column_stack([rows[:, 1], lower.view(np.int64)]))
    by_suffix.remove()
    probs.remove()
    below = Rows(place / "below", kind=np.float64)
    for rows in back.sorted():
        below.add(rows[:, 1].copy().view(np.float64))
    return below


def continuation_counts(level: DiskLevel, by_suffix: Rows, path: Path, most: int) -> Rows:
    """As `smoothing.continuation_counts` of one level. by_suffix: the n-grams of the level above."""
    counts = Rows(path)
    for start in range(0, level.opening, most):
        counts.add(level.counts.read(start, min(start + most, level.opening)))
    for _, _, before in groups(by_suffix.chunks(most)):
        counts.add(before)
    return counts


def interpolate_level(
    model: DiskModel,
    level: DiskLevel,
    counts: Rows,
    below: Rows,
    method: DiskMethod,
    threshold: int,
    words: int,
    most: int,
) -> Rows:
    """Add an order above the first to the model; the probabilities of all its n-grams, those left out among them.

    counts: those that the method goes by. below: the probabilities of the suffixes. words: the size of the vocabulary.
    """
    probs = model.begin_order()
    estimate = method.begin(sum((counts_of_counts(some) for some in counts.chunks(most)), start=np.zeros(5)))
    for start, keys in whole_contexts(level.keys, words, most):
        stop, (contexts, targets) = start + len(keys), np.divmod(keys, words)
        begins = np.diff(contexts, prepend=-1) != 0
        numbers, nothing = np.cumsum(begins) - 1, np.empty(0)
        kept = level.counts.read(start, stop) > threshold
        part = Level(nothing, counts.read(start, stop), numbers, nothing, nothing, kept)  # what estimates read of it
        own, mass = give_back(part, *estimate(part, numbers[-1] + 1))
        interpolated = own + mass[numbers] * below.read(start, stop)
        probs.add(interpolated)
        renumbered = model.add_factors(contexts[begins], mass, contexts[-1] + 1, most)
        model.add(renumbered[numbers] * words + targets, interpolated, kept)
    model.add_factors(np.empty(0, dtype=np.int64), np.empty(0), len(model.contexts), most)
    for rows in (level.keys, level.counts, below, model.contexts):
        rows.remove()
    return probs


def whole_contexts(keys: Rows, words: int, most: int) -> Iterator[tuple[int, np.ndarray]]:
    """The keys of a level in parts, each with the number of its first n-gram, that end where a context ends.

    A context has at most as many followers as there are words, so a part of more rows can be cut.
    """
    start = 0
    while start < len(keys):
        block = keys.read(start, start + max(most, words) + 1)
        if start + len(block) < len(keys):
            block = block[: np.searchsorted(block, block[-1] // words * words)]
        yield start, block
        start += len(block)
