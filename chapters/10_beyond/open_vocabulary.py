"""Vocabularies with room for words that the network does not know: their numbers belong to one sentence.

An unknown word is numbered by the place where it first stands in its source sentence, behind all fixed numbers. So its
number says nothing outside of that sentence, and does not depend on what was read before.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from common.text.vocab import Vocabulary


class OpenVocabulary(Vocabulary):
    """The source words: first those that the network knows, then others that a lexicon or the target has.

    `known` words have rows in the network's matrices; `len` counts them alone, and only they are in the vocabulary.
    """

    def __init__(self, vocab: Vocabulary, others: Iterable[str] = ()):
        """vocab: of the network. others: words that get fixed numbers behind it."""
        super().__init__(vocab.words[2:])
        self.known = len(self.words)
        for word in others:
            if word not in self.ids:
                self.ids[word] = len(self.words)
                self.words.append(word)

    def __len__(self) -> int:
        return self.known

    def __contains__(self, word: str) -> bool:
        return self.ids.get(word, self.known) < self.known

    def encode(self, sentence: Sequence[str]) -> list[int]:
        """Words to ids; one without a fixed number has its first place in the sentence, counted behind those."""
        numbers = first_places(sentence, self)
        return [numbers[word] for word in sentence]

    def closed(self, ids: np.ndarray) -> np.ndarray:
        """The same words as the network knows them: `<unk>` for every other one."""
        return np.where(ids < self.known, ids, self.unknown)


class CopyingVocabulary(Vocabulary):
    """The target words that the network knows, to which each source adds its own words."""

    def __init__(self, vocab: Vocabulary):
        super().__init__(vocab.words[2:])

    def for_source(self, source: Sequence[str]) -> Vocabulary:
        """The words that can be written for this source sentence."""
        return SentenceVocabulary(self, source)

    def closed(self, ids: np.ndarray) -> np.ndarray:
        """The same words as the network knows them: `<unk>` for those that are copied."""
        return np.where(ids < len(self), ids, self.unknown)


class SentenceVocabulary(Vocabulary):
    """Known target words, and behind them the words of one source sentence, place by place."""

    def __init__(self, vocab: Vocabulary, source: Sequence[str]):
        self.words = [*vocab.words, *source]
        self.ids: Any = first_places(source, vocab)


def first_places(sentence: Sequence[str], vocab: Vocabulary) -> ChainMap[str, int]:
    """The number of each word: its own in the vocabulary, or else the place where it first stands, counted behind."""
    behind = len(vocab.words)
    places = {word: behind + place for place, word in reversed(list(enumerate(sentence)))}
    return ChainMap(vocab.ids, places)
