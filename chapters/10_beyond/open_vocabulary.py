"""Vocabularies with room for words that the network does not know: they get numbers when a source sentence has them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from common.text.vocab import Vocabulary

MOST_MET = 10_000
"""So many words are numbered beyond those of the network. What comes later is `<unk>`."""


class OpenVocabulary(Vocabulary):
    """The words that the network knows, and behind them those that were met in source sentences.

    `known` words have rows in the network's matrices; `len` counts them alone, and only they are in the vocabulary.
    """

    def __init__(self, vocab: Vocabulary):
        super().__init__(vocab.words[2:])
        self.known = len(self.words)
        self.most = self.known + MOST_MET

    def __len__(self) -> int:
        return self.known

    def __contains__(self, word: str) -> bool:
        return self.ids.get(word, self.known) < self.known

    def admit(self, word: str) -> int:
        """The number of a word, a new one if it has none yet."""
        if word not in self.ids and len(self.words) < self.most:
            self.ids[word] = len(self.words)
            self.words.append(word)
        return self.ids.get(word, self.unknown)

    def closed(self, ids: np.ndarray) -> np.ndarray:
        """The same words as the network knows them: `<unk>` for each that was met."""
        return np.where(ids < self.known, ids, self.unknown)


class SourceVocabulary(OpenVocabulary):
    """The words of the source: whatever is read has a number of its own.

    target: where each of these words gets a number, too, so that it can be copied into a translation.
    """

    def __init__(self, vocab: Vocabulary, target: OpenVocabulary | None = None):
        super().__init__(vocab)
        self.target = target
        if target is not None:
            target.most += self.known  # these take none of the places of words that are met
        self.encode(self.words)  # every source word that is known can be copied from the beginning

    def encode(self, sentence: Sequence[str]) -> list[int]:
        """Words to ids, new ones for those that have none, in `target`, too; words beyond `MOST_MET` are `<unk>`."""
        for word in sentence if self.target is not None else ():
            self.target.admit(word)
        return [self.admit(word) for word in sentence]
