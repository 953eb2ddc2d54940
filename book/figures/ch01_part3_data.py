"""What part 3 of chapter 1 shows of the village: weights by class and caches, by the chapter's own code."""

from __future__ import annotations

from functools import cache

import numpy as np

from book.counted import trained, village
from chapters.ngram_lm import buckets, counts, methods, running, smoothing, tuning
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary


@cache
def tuned() -> tuple[list[np.ndarray], list[np.ndarray], list[float]]:
    """Of a trigram model of the village: weights by mean count, the class of every prediction of dev whose history was
    seen, by order, and the weights by order alone."""
    vocab, levels, _, dev = village()
    levels, zero = levels[:3], smoothing.order_zero(len(vocab), False)
    classes = buckets.classes_of(levels, buckets.by_mean_count)
    weights = tuning.tune_weights_by_class(vocab, levels, zero, dev, classes)
    _, known, histories = tuning.own_likelihoods(vocab, levels, dev)
    met = [of_all[at[here]] for of_all, at, here in zip(classes, histories, known, strict=True)]
    return weights, met, tuning.tune_weights(vocab, levels, zero, dev)


def running_text(sentences: list[list[str]]) -> running.RunningText:
    """Sentences as running text under a Kneser-Ney bigram model of the village."""
    return running.read(trained("kneser-ney", 2), sentences)


@cache
def paragraphs() -> tuple[running.RunningText, list[list[str]]]:
    """The dev paragraphs as running text under a Kneser-Ney 5-gram model of their train, and their sentences."""
    corpus = load_corpus("village_paragraphs")
    vocab = Vocabulary.from_sentences(corpus.train, min_count=2)
    levels = counts.count_ngrams([vocab.encode(sentence) for sentence in corpus.train], 5, len(vocab))
    model = methods.METHODS["kneser-ney"](vocab, levels, smoothing.order_zero(len(vocab), False), [])
    return running.read(model, corpus.dev), corpus.dev
