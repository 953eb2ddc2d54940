"""Invented text with any vocabulary, whose true distribution is known: for measuring output layers.

Words are as frequent as their rank says (Zipf), and belong to groups. The next word depends on the group of the word
before: P(word | before) = P(group | group before) P(word | group). A sentence ends after each word with P(end).
"""

from __future__ import annotations

import numpy as np

from common.text.vocab import Vocabulary

GROUPS = 20
END = 0.05
"""Probability of </s> after a word: 20 words a sentence on average, about as in PTB."""


class ZipfText:
    """The distribution: `sentences` draws from it, `log_probs` tells the truth about a sentence."""

    def __init__(self, vocabulary: int, seed: int):
        """vocabulary: words with ids from 0 on, of which 0 is the boundary and 1, <unk>, never occurs."""
        rng = np.random.default_rng(seed)
        ranks = np.arange(1, vocabulary - 1)
        self.group_of = np.concatenate([[0, 0], ranks % GROUPS])  # every group has frequent and rare words
        weights = np.concatenate([[0, 0], 1 / (ranks + 2.0)])
        masses = np.bincount(self.group_of, weights, GROUPS)
        self.within = weights / masses[self.group_of]
        """P(word | its group), (V,)."""
        self.first = rng.dirichlet(np.full(GROUPS, 0.5))
        self.after = rng.dirichlet(np.full(GROUPS, 0.1), size=GROUPS)
        """P(group | group before), a row a group before."""
        self.members = np.argsort(self.group_of, kind="stable")
        self.word_ends = np.cumsum(self.within[self.members])
        """The words of all groups in a row, each as long as its probability: group g takes the place from g to g+1."""
        self.group_ends = np.cumsum(self.after.ravel())
        """The same for the groups after each group."""

    def sentences(self, number: int, seed: int) -> list[list[int]]:
        """`number` sentences of word ids, drawn side by side; the same ones for the same seed."""
        rng = np.random.default_rng(seed)
        lengths = rng.geometric(END, number)
        groups = draw(np.cumsum(self.first), np.zeros(number), rng)
        words = []
        for _ in range(lengths.max()):
            words.append(self.members[draw(self.word_ends, groups, rng)])
            groups = draw(self.group_ends, groups, rng) % GROUPS
        return [sentence[:length] for sentence, length in zip(np.stack(words, axis=1).tolist(), lengths, strict=True)]

    def log_probs(self, sentence: list[int]) -> np.ndarray:
        """log P(word | words before) of each word of a sentence and of </s>, in nats."""
        groups = self.group_of[sentence]
        of_group = np.concatenate([[self.first[groups[0]]], (1 - END) * self.after[groups[:-1], groups[1:]]])
        return np.log(np.concatenate([of_group * self.within[sentence], [END]]))

    def unigram(self) -> np.ndarray:
        """log P(word) over all predictions of a long text, (V,); words that never occur have as good as none."""
        often = np.linalg.solve(np.eye(GROUPS) - (1 - END) * self.after.T, self.first)  # visits a sentence
        counts = often[self.group_of] * self.within
        counts[Vocabulary.boundary], counts[Vocabulary.unknown] = 1, 1e-9
        return np.log(counts / counts.sum())


def draw(ends: np.ndarray, begins: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For each of N places, what lies at a random point between it and the place 1 further on: (N,) of indices.

    ends: where each thing ends, in a row from 0 on.
    """
    found = np.searchsorted(ends, begins + rng.random(len(begins)), side="right")
    return np.minimum(found, len(ends) - 1)  # the last end may be rounded to a little less than it should be
