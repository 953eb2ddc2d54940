"""The village's n-grams, counted by chapter 1's own code: what figures, labs and lessons share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from book.explorer.next_words import distributions
from chapters.ngram_lm import counts, methods, smoothing
from chapters.ngram_lm.counts import Level
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary

TEXT = [line.split() for line in ("the girl giggles .", "the son giggles .", "the girl feeds ponies .")]
"""The three sentences of chapter 1."""


@cache
def by_hand() -> tuple[Vocabulary, list[Level]]:
    """The words of the three sentences, and their n-grams of orders 1 and 2."""
    vocab = Vocabulary.from_sentences(TEXT)
    return vocab, counts.count_ngrams([vocab.encode(line) for line in TEXT], 2, len(vocab))


@cache
def village() -> tuple[Vocabulary, list[Level], list, list]:
    """The embedded corpus as train.py reads it: vocabulary, levels of orders 1 to 5, and train and dev as ids."""
    corpus = load_corpus("village")
    vocab = Vocabulary.from_sentences(corpus.train, min_count=2)
    train, dev = ([vocab.encode(sentence) for sentence in split] for split in (corpus.train, corpus.dev))
    return vocab, counts.count_ngrams(train, 5, len(vocab)), train, dev


def followers(word: str) -> dict[str, int]:
    """What follows a word in train, and how often, most frequent first."""
    vocab, levels, *_ = village()
    here = levels[1].contexts == vocab.ids[word]
    after = [vocab.words[key] for key in levels[1].keys[here] % len(vocab)]
    pairs = zip(after, levels[1].counts[here].tolist(), strict=True)
    return dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))


@cache
def two_opinions(split: str) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities that a bigram and a unigram model, both of maximum likelihood, give every prediction.

    The unigrams hold one in a million for order zero, so that nothing is impossible.
    """
    vocab, levels, train, dev = village()
    zero = smoothing.order_zero(len(vocab), False)
    inputs, targets = counts.join({"train": train, "dev": dev}[split])
    models = [
        smoothing.interpolate(vocab, levels[:2], zero, smoothing.fixed_weights([1e-6, alpha])) for alpha in (0.0, 1.0)
    ]
    with np.errstate(divide="ignore", invalid="ignore"):
        bigram, unigram = (np.exp(model.score(model.contexts(inputs), targets)) for model in models)
    return bigram, unigram


@cache
def trained(method: str, order: int):
    """A model of the village, and order zero spelt as train.py does it."""
    vocab, levels, _, dev = village()
    return methods.METHODS[method](vocab, levels[:order], smoothing.order_zero(len(vocab), False), dev)


def next_word(method: str, words: list[str], order: int = 5) -> np.ndarray:
    """P(next word) of an n-gram model of the village after the first words of a sentence: (V,)."""
    return distribution(trained(method, order), words)


def distribution(model, words: Sequence[str]) -> np.ndarray:
    """The same of a language model of any chapter."""
    with np.errstate(under="ignore"):
        return np.exp(distributions(model, words)[-1])
