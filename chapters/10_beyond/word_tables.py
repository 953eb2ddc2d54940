"""What each source word may stand for in the target: by a lexicon, or, to be copied, itself.

Letters in the shapes: S source words, T predictions, B sentences.
"""

from __future__ import annotations

from collections.abc import Callable

import dynet as dy
import numpy as np

from common.text.ibm_model1 import Lexicon
from common.text.vocab import Vocabulary

from .open_vocabulary import OpenVocabulary

LEAST = 0.001
"""Translations that a lexicon holds for less probable are left out, and the others share what they had."""
Shares = dict[int, float]
"""Target words, by number, and how much of a source word stands for each; the sum is 1."""


def by_lexicon(lexicon: Lexicon, target: Vocabulary) -> Callable[[str], Shares]:
    """P(e | f) as shares. `<unk>` gets those of the target words that the network does not know, and all of a source
    word that the lexicon does not know (Arthur et al. 2016)."""

    def shares(word: str) -> Shares:
        translations = [(e, p) for e, p in lexicon.best(word, len(lexicon.target)) if p >= LEAST]
        if not translations:
            return {target.unknown: 1.0}
        total, shares_of = sum(p for _, p in translations), {}
        for e, p in translations:
            (number,) = target.encode([e])
            shares_of[number] = shares_of.get(number, 0.0) + p / total
        return shares_of

    return shares


class WordTable:
    """The shares of all source words of a batch side by side."""

    def entries(self, sources: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """All shares of some source words (S, B): the target word of each, its row and its column there, the share."""
        raise NotImplementedError

    def of_targets(self, sources: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """How much of each source word stands for each target word: ids (S, B) and (T, B) -> (S, T, B)."""
        raise NotImplementedError

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


class LexiconTable(WordTable):
    """What a lexicon says of every source word with a fixed number; a last row is for all others.

    The shares of the source word f stand at `starts[f]` to `starts[f + 1]`, ascending by target word.
    """

    def __init__(self, source: OpenVocabulary, shares_of_word: Callable[[str], Shares]):
        rows = [shares_of_word(word) for word in source.words] + [{Vocabulary.unknown: 1.0}]
        rows[Vocabulary.boundary] = {}  # it pads sources, and stands for nothing
        self.targets = np.array([number for row in rows for number in sorted(row)], dtype=np.int64)
        self.shares = np.array([row[number] for row in rows for number in sorted(row)])
        self.sizes = np.array([len(row) for row in rows])
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])

    def entries(self, sources: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        sources = self.row_of(sources)
        sizes = self.sizes[sources].ravel()
        places = np.arange(sizes.sum()) + np.repeat(self.starts[sources].ravel() - np.cumsum(sizes) + sizes, sizes)
        rows, columns = (np.repeat(part.ravel(), sizes) for part in np.indices(sources.shape))
        return self.targets[places], rows, columns, self.shares[places]

    def of_targets(self, sources: np.ndarray, targets: np.ndarray) -> np.ndarray:
        width = max(int(self.targets.max()), int(targets.max())) + 1
        keys = np.repeat(np.arange(len(self.sizes)), self.sizes) * width + self.targets
        pairs = self.row_of(sources)[:, None] * width + targets[None]
        places = np.minimum(np.searchsorted(keys, pairs), len(keys) - 1)
        return np.where(keys[places] == pairs, self.shares[places], 0.0)

    def row_of(self, sources: np.ndarray) -> np.ndarray:
        """Which row has the shares of each source word."""
        return np.minimum(sources, len(self.sizes) - 1)


class CopyingTable(WordTable):
    """Every source word stands for itself: a known target word, or the place in the source where it first stands."""

    def __init__(self, source: OpenVocabulary, target: Vocabulary):
        """source: every target word has a fixed number there."""
        self.words = len(target)
        self.known = np.array([*(target.ids.get(word, self.words) for word in source.words), self.words])

    def numbers(self, sources: np.ndarray) -> np.ndarray:
        """The target words that source words stand for, as `SentenceVocabulary` numbers them: ids (S, B) -> (S, B)."""
        first_places = (sources[:, None] == sources[None]).argmax(axis=1)
        numbers = self.known[np.minimum(sources, len(self.known) - 1)]
        return np.where(numbers < self.words, numbers, self.words + first_places)

    def begins(self, sources: np.ndarray) -> np.ndarray:
        """Whether a word that no vocabulary of the target has stands at a place for the first time, (S, B)."""
        own_places = self.words + np.arange(len(sources))[:, None]
        return (self.numbers(sources) == own_places) & (sources != Vocabulary.boundary)

    def entries(self, sources: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        rows, columns = np.nonzero(sources != Vocabulary.boundary)  # that pads sources, and stands for nothing
        return self.numbers(sources)[rows, columns], rows, columns, np.ones(len(rows))

    def of_targets(self, sources: np.ndarray, targets: np.ndarray) -> np.ndarray:
        copied = np.where(sources != Vocabulary.boundary, self.numbers(sources), -1)
        return (copied[:, None] == targets[None]).astype(float)
