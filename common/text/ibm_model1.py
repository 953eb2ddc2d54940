"""A dictionary learnt from pairs of sentences: IBM Model 1 (Brown et al. 1993).

Every target word e was produced by one source word f of its sentence, or by NULL, all equally likely, with
P(e | f). Which one is not seen; expectation maximisation (EM) starts from a table where all words are alike, and finds
out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from common.errors import UserError
from common.files import atomic_write, reading
from common.saved_arrays import read_arrays, read_facts
from common.text.corpus import Sentence

KIND = "IBM Model 1"
NULL = 0
"""The number of the NULL word, which is added to every source sentence: it generates words without an aligned word."""

PAIRS_AT_ONCE = 5_000
"""Pairs of sentences that are counted together."""

Words = dict[str, int]
"""The words of one side and their numbers."""


class Lexicon:
    """P(e | f) of every source word f, or NULL, and every target word e that occurred in a pair with it."""

    def __init__(self, source: Words, target: Words, keys: np.ndarray, table: np.ndarray, log_likelihoods: list[float]):
        """source: numbers from 1; target: from 0; keys: (U,), what `key` gives for each pair of words, ascending;
        table: (U,), their P(e | f); log_likelihoods: of the training text after 0, 1, 2, ... iterations, in nats."""
        self.source, self.target, self.keys, self.table = source, target, keys, table
        self.log_likelihoods = log_likelihoods
        self.target_words = list(target)

    @classmethod
    def learn(cls, pairs: Iterable[tuple[Sentence, Sentence]], iterations: int = 10) -> Lexicon:
        """Learn from (source, target) sentences. Raises `UserError` where there is no target word to learn from."""
        pairs = list(pairs)
        source = numbered((words for words, _ in pairs), first=NULL + 1)
        target = numbered((words for _, words in pairs), first=0)
        if not target:
            raise UserError("there are no pairs of sentences to learn a dictionary from; give some")
        keys, parts = number_pairs(pairs, source, target)
        sources = keys // (len(target) + 1)
        table = np.full(len(keys), 1 / len(target))
        log_likelihoods = []
        for _ in range(iterations):
            counts, log_likelihood = expected_counts(table, parts)
            table = counts / np.bincount(sources, counts)[sources]
            log_likelihoods.append(log_likelihood)
        log_likelihoods.append(expected_counts(table, parts)[1])
        return cls(source, target, keys, table, log_likelihoods)

    def probability(self, target_word: str, source_word: str | None) -> float:
        """P(e | f), 0 where they were never seen together; `None` is NULL."""
        source = [] if source_word is None else [source_word]
        return float(self.probabilities(source, [target_word])[0, -1])

    def probabilities(self, source: Sentence, target: Sentence) -> np.ndarray:
        """P(e | f) of every word of `target` (rows), given NULL (column 0) and every word of `source`: (m, 1 + l)."""
        rows = np.array([self.target.get(word, len(self.target)) for word in target], dtype=np.int64)
        columns = np.array([NULL] + [self.source.get(word, len(self.source) + 1) for word in source], dtype=np.int64)
        pairs = key(columns, rows[:, None], len(self.target))
        places = np.minimum(np.searchsorted(self.keys, pairs), len(self.keys) - 1)
        return np.where(self.keys[places] == pairs, self.table[places], 0.0)

    def best(self, source_word: str, number: int = 1) -> list[tuple[str, float]]:
        """The `number` target words with the highest P(e | f), best first, with it; none for an unknown f."""
        if source_word not in self.source:
            return []
        row = self.source[source_word]
        first, end = np.searchsorted(self.keys, key(np.array([row, row + 1]), 0, len(self.target)))
        order = first + np.argsort(-self.table[first:end], kind="stable")[:number]
        words = self.keys[order] % (len(self.target) + 1)
        return [(self.target_words[word], float(prob)) for word, prob in zip(words, self.table[order], strict=True)]

    def translate(self, source_word: str) -> str | None:
        """The target word e with the highest P(e | f), or `None` where training has never shown f."""
        return next((word for word, _ in self.best(source_word)), None)

    def links(self, source: Sentence, target: Sentence) -> set[tuple[int, int]]:
        """The most probable alignment: (i, j), source word i and target word j, both from 0, at most one for each j. A
        target word whose best source word is NULL, or that is unknown, has no link; of equal source words the first."""
        best = self.probabilities(source, target).argmax(axis=1)
        return {(int(column) - 1, j) for j, column in enumerate(best) if column != NULL}

    def save(self, path: str | Path) -> None:
        """Write the lexicon to one .npz file, whole or not at all."""
        about = {
            "kind": KIND,
            "source": list(self.source),
            "target": self.target_words,
            "log_likelihoods": self.log_likelihoods,
        }
        with atomic_write(path, "wb") as file:
            np.savez(file, about=np.array(json.dumps(about)), keys=self.keys, table=self.table)

    @classmethod
    def load(cls, path: str | Path) -> Lexicon:
        """Read what `save` wrote. Raises `UserError` where the file is missing, cut short or something else."""
        damaged = "cut short or not a lexicon; remove it, and it is learnt again"
        with reading(path, "no such file; save a lexicon there first", damaged):
            arrays = read_arrays(path)
            about, keys, table = read_facts(arrays), arrays["keys"], arrays["table"]
            source = {word: number for number, word in enumerate(about["source"], start=NULL + 1)}
            target = {word: number for number, word in enumerate(about["target"])}
            if about["kind"] != KIND or not fits(keys, table, len(source), len(target)):
                raise ValueError
            if not all(isinstance(word, str) for word in (*source, *target)):
                raise ValueError
            return cls(source, target, keys, table, [float(value) for value in about["log_likelihoods"]])


def fits(keys: np.ndarray, table: np.ndarray, sources: int, targets: int) -> bool:
    """Whether keys and probabilities are those of pairs of so many source and target words."""
    kinds = keys.dtype.kind, table.dtype.kind
    if keys.ndim != 1 or keys.shape != table.shape or not len(keys) or kinds != ("i", "f"):
        return False
    ascending = (np.diff(keys) > 0).all() and keys[0] >= 0
    valid = (keys // (targets + 1) <= sources).all() and (keys % (targets + 1) < targets).all()
    return bool(ascending and valid and ((table >= 0) & (table <= 1 + 1e-9)).all())


class Part(NamedTuple):
    """Every target word of some sentences beside every source word of its sentence, and NULL: N places.

    numbers: (N,), for each place the number of its pair of words, all places of one target word side by side;
    sizes: (target words,), how many places each has.
    """

    numbers: np.ndarray
    sizes: np.ndarray


def numbered(sentences: Iterable[Sentence], first: int) -> Words:
    """The different words in order of appearance."""
    words = dict.fromkeys(word for sentence in sentences for word in sentence)
    return {word: number for number, word in enumerate(words, start=first)}


def key(source: np.ndarray, target: np.ndarray | int, target_words: int) -> np.ndarray:
    """One number for a pair of words. There is room for one target word more, the unknown one."""
    return source * (target_words + 1) + target


def number_pairs(
    pairs: Sequence[tuple[Sentence, Sentence]], source: Words, target: Words
) -> tuple[np.ndarray, list[Part]]:
    """The different pairs of words that occur in the same sentence pair (their keys, ascending), numbered once for all
    iterations, and where they occur, in parts of the text so that memory stays small."""
    parts, pair_numbers = [], []
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        places, sizes = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        for source_words, target_words in pairs[start : start + PAIRS_AT_ONCE]:
            columns = np.array([NULL] + [source[word] for word in source_words], dtype=np.int64)
            rows = np.array([target[word] for word in target_words], dtype=np.int64)
            places.append(key(columns, rows[:, None], len(target)).ravel())
            sizes.append(np.full(len(rows), len(columns)))
        different, numbers = np.unique(np.concatenate(places), return_inverse=True)
        pair_numbers.append(different)
        parts.append(Part(numbers.astype(np.int32), np.concatenate(sizes)))
    keys = np.unique(np.concatenate(pair_numbers))
    among_all = [np.searchsorted(keys, different).astype(np.int32) for different in pair_numbers]
    return keys, [Part(own[part.numbers], part.sizes) for own, part in zip(among_all, parts, strict=True)]


def expected_counts(table: np.ndarray, parts: Sequence[Part]) -> tuple[np.ndarray, float]:
    """How often f has produced e, in expectation under the table P(e | f), (U,), and the log-likelihood in nats.

    A target word counts as produced by each source word i of its sentence with P(e | f_i) / sum over k of P(e | f_k).
    The log-likelihood is of the target words given the sources and their own number: a source of l words and NULL has
    P(e) = sum over k of P(e | f_k) / (l + 1).
    """
    counts, log_likelihood = np.zeros(len(table)), 0.0
    for numbers, sizes in parts:
        shares = table[numbers]
        sums = np.add.reduceat(shares, np.cumsum(sizes) - sizes)
        shares /= np.repeat(sums, sizes)
        counts += np.bincount(numbers, shares, minlength=len(table))
        log_likelihood += float(np.log(sums / sizes).sum())
    return counts, log_likelihood
