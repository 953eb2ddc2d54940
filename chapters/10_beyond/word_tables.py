"""What each source word may stand for in the target: by a lexicon, or, to be copied, itself.

Letters in the shapes: S source words, T predictions, B sentences.
"""

from __future__ import annotations

from collections.abc import Callable

import dynet as dy
import numpy as np

from common.text.ibm_model1 import Lexicon
from common.text.vocab import BOUNDARY, Vocabulary

from .open_vocabulary import OpenVocabulary

LEAST = 0.001
"""Translations that a lexicon holds for less probable are left out, and the others share what they had."""
Shares = dict[int, float]
"""Target words, by number, and how much of a source word stands for each; the sum is 1."""


def by_lexicon(lexicon: Lexicon, target: Vocabulary) -> Callable[[str], Shares]:
    """P(e | f) as shares. `<unk>` gets those of the target words that the network does not know, and all of a source
    word that the lexicon does not know (Arthur et al. 2016)."""

    def shares(word: str) -> Shares:
        found = [(e, p) for e, p in lexicon.best(word, len(lexicon.target)) if p >= LEAST]
        if not found:
            return {target.unknown: 1.0}
        total, kept = sum(p for _, p in found), {}
        for e, p in found:
            (number,) = target.encode([e])
            kept[number] = kept.get(number, 0.0) + p / total
        return kept

    return shares


def by_copying(target: OpenVocabulary) -> Callable[[str], Shares]:
    """Every word stands for itself."""
    return lambda word: {target.admit(word): 1.0}


class WordTable:
    """The shares of all source words side by side; those of words that are met later come behind.

    Those of the source word f stand at `starts[f]` to `starts[f + 1]`, ascending by target word.
    """

    def __init__(self, source: OpenVocabulary, shares_of_word: Callable[[str], Shares]):
        self.source, self.shares_of_word = source, shares_of_word
        self.rows: list[tuple[np.ndarray, np.ndarray]] = []
        self.grow()

    def grow(self) -> None:
        """Look up the words that were met since the last time."""
        if len(self.rows) == len(self.source.words):
            return
        for word in self.source.words[len(self.rows) :]:
            shares = {} if word == BOUNDARY else self.shares_of_word(word)  # it pads sources, and stands for nothing
            numbers = sorted(shares)
            self.rows.append((np.array(numbers, dtype=np.int64), np.array([shares[number] for number in numbers])))
        self.targets, self.shares = (np.concatenate(parts) for parts in zip(*self.rows, strict=True))
        self.sizes = np.array([len(numbers) for numbers, _ in self.rows])
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])

    def entries(self, sources: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """All shares of some source words (S, B): the target word of each, its row and its column there, the share."""
        self.grow()
        sizes = self.sizes[sources].ravel()
        places = np.arange(sizes.sum()) + np.repeat(self.starts[sources].ravel() - np.cumsum(sizes) + sizes, sizes)
        rows, columns = (np.repeat(part.ravel(), sizes) for part in np.indices(sources.shape))
        return self.targets[places], rows, columns, self.shares[places]

    def matrix(self, sources: np.ndarray, words: int) -> dy.Expression:
        """L_F: column j has the shares of source word j. Word ids (S, B) -> (words, S) x B.

        Only the entries that are not 0 are handed to DyNet.
        """
        targets, rows, columns, shares = self.entries(sources)
        return dy.sparse_inputTensor((targets, rows, columns), shares, (words, *sources.shape), batched=True)

    def mean(self, sources: np.ndarray, weights: np.ndarray, words: int) -> dy.Expression:
        """L_F alpha for weights alpha that are numbers: (S, B), (B, S) -> (words, 1) x B."""
        targets, rows, columns, shares = self.entries(sources)
        keys, places = np.unique(columns * words + targets, return_inverse=True)
        sums = np.bincount(places, shares * weights[columns, rows], minlength=len(keys))
        entries = keys % words, np.zeros(len(keys), dtype=int), keys // words
        return dy.sparse_inputTensor(entries, sums, (words, 1, sources.shape[1]), batched=True)

    def of_targets(self, sources: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """How much of each source word stands for each target word: ids (S, B) and (T, B) -> (S, T, B)."""
        self.grow()
        width = max(int(self.targets.max(initial=0)), int(targets.max())) + 1
        keys = np.repeat(np.arange(len(self.sizes)), self.sizes) * width + self.targets
        wanted = sources[:, None] * width + targets[None]
        places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[places] == wanted, self.shares[places], 0.0)
