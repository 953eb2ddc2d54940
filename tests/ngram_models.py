"""Small n-gram models for the tests of chapter 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import settings, strategies as st

from chapters.ngram_lm import (
    arpa as arpa,
    characters as characters,
    counts,
    katz as katz,
    loading as loading,
    longer,
    methods,
    model as model,
    prefixes as prefixes,
    smoothing,
    storage as storage,
    tuning as tuning,
)
from common.text.vocab import Vocabulary
from tests.ngram_reference import Reference

CHAPTER = "01_ngram_lm"

PITTSBURGH = [
    line.split() for line in ("i am from pittsburgh .", "i study at a university .", "my mother is from utah .")
]
"""The three sentences of Neubig 2017, Figure 3."""

FARM = [
    line.split()
    for line in (
        "the hen sees the goat .",
        "the goat sees a hen",
        "a hen sees a hen and the hen sees a goat .",
        "mira feeds the goat .",
        "mira sees mira",
        "the goat",
        "a old goat feeds the old hen .",
        "the hen sees the goat .",
        "dora",
    )
]
UNSEEN = [
    line.split()
    for line in ("a goat feeds mira .", "hen", "the old old wombat sees the hen sees", ". . mira the goat .")
]
words = st.sampled_from(["a", "b", "c", "d"])
sentence_lists = st.lists(st.lists(words, min_size=1, max_size=6), min_size=1, max_size=10)
bounded = settings(max_examples=12, deadline=None, derandomize=True, database=None)


def sets_of_counts(sentences: Sequence[Sequence[str]], order: int = 3, spells: bool = False, min_count: int = 1):
    """The vocabulary of these sentences, their counts by order, and the distribution below them."""
    vocab = Vocabulary.from_sentences(sentences, min_count)
    levels = counts.count_ngrams([vocab.encode(sentence) for sentence in sentences], order, len(vocab))
    return vocab, levels, smoothing.order_zero(len(vocab), spells)


def build(
    method: str,
    sentences: Sequence[Sequence[str]] = FARM,
    order: int = 3,
    spells: bool = False,
    dev=UNSEEN,
    min_count=1,
):
    """The chapter's model of these sentences."""
    vocab, levels, zero = sets_of_counts(sentences, order, spells, min_count)
    return methods.METHODS[method](vocab, levels, zero, [vocab.encode(sentence) for sentence in dev])


def mixtures(distance: int = 2):
    """A model, two of skip-grams and a cache, and the mixture of the first, the second and the last."""
    base = build("kneser-ney")
    ids = [base.vocab.encode(sentence) for sentence in FARM]
    extras = [
        longer.train_skip_gram(base.vocab, ids, distance),
        longer.train_skip_gram(base.vocab, ids, 3),
        longer.Cache(len(base.vocab)),
    ]
    return base, extras, longer.Mixture(longer.Mixture(base, extras[0], 0.2), extras[2], 0.3)


def reference(lm, method: str, sentences: Sequence[Sequence[str]] = FARM, order: int = 3, spells=False, weights=None):
    """The same by dictionaries, for the words that the model knows."""
    known_words = [lm.vocab.decode(lm.vocab.encode(sentence)) for sentence in sentences]
    words = lm.vocab.words
    zero = {word: float(word == "<unk>") if spells else 1 / len(words) for word in words}
    return Reference(known_words, order, words, zero, method, weights)


def distribution(lm, history: Sequence[str]) -> np.ndarray:
    """P(next word | history) by start and advance: (V,)."""
    state, log_probs = lm.advance(lm.start(1), [lm.vocab.boundary])
    for word in lm.vocab.encode(history):
        state, log_probs = lm.advance(state, [word])
    return np.exp(log_probs[0])
