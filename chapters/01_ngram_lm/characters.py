"""Spelling unknown words: an n-gram model of letters gives every word that one can write a probability.

The letters of a word are treated as the words of a sentence, counted and smoothed by the same code, with `</s>` for
the end of the word. Neubig 2017 (section 3.4) names this as the better choice of P_unk than a uniform one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from common.text.batching import make_batches
from common.text.vocab import Vocabulary
from common.training.setup import Setup

from .counts import count_ngrams
from .model import NgramLM
from .smoothing import interpolate, order_zero, witten_bell

UNICODE = 0x110000
"""The number of possible characters: one that training never showed is any of them with equal probability."""

RARE = 5
"""The letters of words seen at most so often in training are learnt: those unseen are rare words too."""


def train_letters(words: Iterable[str], order: int) -> NgramLM:
    """An n-gram model of letters from different words, each counted once, with Witten-Bell smoothing."""
    spelt = sorted(set(words))
    letters = Vocabulary.from_sentences(spelt)
    levels = count_ngrams([letters.encode(word) for word in spelt], order, len(letters))
    return interpolate(letters, levels, order_zero(len(letters), spells_unknown=True), witten_bell)


class SpellingVocabulary(Vocabulary):
    """A vocabulary that can say how probable the spelling of a word outside it is.

    letters: the model of letters. It would spend part of its probability on words of the vocabulary, which are never
    spelt, and on the word of no letters; what is left is scaled up to one.
    """

    def __init__(self, words: Iterable[str], letters: NgramLM):
        super().__init__(words)
        self.letters = letters
        spelt = spell(letters, ["", *self.words[2:]])
        self.log_outside = math.log1p(-min(math.exp(np.logaddexp.reduce(spelt)), 1 - 1e-12))

    def spell(self, words: Sequence[str]) -> np.ndarray:
        """log P_unk(word) of unknown words (Neubig 2017, Eq. 16), (words,) in nats."""
        return spell(self.letters, words) - self.log_outside


def spell(letters: NgramLM, words: Sequence[str], batch_size: int = 1000) -> np.ndarray:
    """log P of the letters of each word and of its end, (words,) in nats."""
    log_probs = np.zeros(len(words))
    for batch in make_batches([letters.vocab.encode(word) for word in words], batch_size):
        new = (batch.targets == Vocabulary.unknown) * math.log(UNICODE)
        log_probs[batch.indices] = np.where(batch.mask > 0, letters.log_probs(batch) - new, 0.0).sum(axis=0)
    return log_probs


def with_spelling(setup: Setup) -> Setup:
    """The setup whose vocabulary has a model of letters, learnt from the rare words of train."""
    counts = Counter(word for sentence in setup.corpus.train for word in sentence)
    rare = [word for word, count in counts.items() if count <= RARE]
    letters = train_letters(rare or counts, setup.settings.character_order)
    vocab = SpellingVocabulary(setup.vocab.words[2:], letters)
    return replace(setup, data=replace(setup.data, vocab=vocab))
