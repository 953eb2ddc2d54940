"""The worked examples of part 2 of chapter 1: weights by context, caches of running text, and pruning."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import numpy as np

from book.counted import by_hand, village
from book.lessons.cells import namespace
from chapters.ngram_lm import buckets, counts, methods, pruning, running, smoothing, tuning
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary

HISTORIES = ("hen", "miss")
RANGES = (0, 2, 6, 10)
"""The classes of histories whose weights the page shows."""
STORY = [line.split() for line in ("mira reads the letter .", "the girl reads the letter .")]
WEIGHTS = (0.2, 0.2)
"""Of the two caches in the worked example."""
REACH = 10


@cache
def of_words() -> tuple[np.ndarray, np.ndarray]:
    """c(h) and T(h) of each word of the village as a history of bigrams, (V,) each."""
    vocab, levels, *_ = village()
    level = levels[1]
    return smoothing.total(level, level.counts, len(vocab)), smoothing.total(level, level.counts > 0, len(vocab))


def many_histories() -> Iterator[float]:
    """How many histories of two words there are, how many were seen once, and the number of dev's predictions."""
    _, levels, _, dev = village()
    seen = smoothing.total(levels[2], levels[2].counts, len(levels[1].keys))
    yield from ((seen > 0).sum(), (seen == 1).sum(), sum(len(one) + 1 for one in dev))


def two_histories() -> Iterator[float]:
    """c(h), T(h) and c(h) / T(h) of two histories."""
    vocab, (seen, kinds) = village()[0], of_words()
    for word in HISTORIES:
        h = vocab.ids[word]
        yield from (seen[h], kinds[h], seen[h] / kinds[h])
    assert len({int(np.log2(seen[vocab.ids[word]])) for word in HISTORIES}) == 1  # "one class" on the page


@cache
def hand_classes() -> np.ndarray:
    """The class by c(h) of the history of each prediction of the new sentence, (6,)."""
    vocab, levels = by_hand()
    inputs, _ = counts.join([vocab.encode("the son feeds ponies .".split())])
    return buckets.classes_of(levels, buckets.by_count)[1][inputs]


@cache
def hand_rounds(rounds: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The alphas of the classes before each round and after the last, and the responsibilities of each round."""
    bigram, unigram, kinds = namespace("01")["bigram"], namespace("01")["unigram"], hand_classes()
    alphas, shares = [np.full(2, 0.5)], []
    for _ in range(rounds):
        alpha = alphas[-1][kinds]
        shares.append(alpha * unigram / ((1 - alpha) * bigram + alpha * unigram))
        alphas.append(np.array([shares[-1][kinds == kind].mean() for kind in (0, 1)]))
    return alphas, shares


def em_by_class() -> Iterator[float]:
    """c(h) and two rounds of responsibilities, class by class; then where EM ends."""
    vocab, levels = by_hand()
    inputs, _ = counts.join([vocab.encode("the son feeds ponies .".split())])
    seen = smoothing.total(levels[1], levels[1].counts, len(vocab))[inputs]
    kinds, (alphas, shares) = hand_classes(), hand_rounds(2)
    yield 0.5
    for place in range(len(kinds)):
        yield from (seen[place], shares[0][place], shares[1][place])
    for kind in (1, 0):
        own = shares[0][kinds == kind]
        yield from (*own, len(own), alphas[1][kind])
    for kind in (1, 0):
        yield alphas[2][kind]
    yield hand_rounds(2000)[0][-1][0]


@cache
def tuned() -> tuple[list[np.ndarray], list[np.ndarray], list[float]]:
    """Of a trigram model of the village: weights by mean count, the class of every prediction of dev whose history was
    seen, by order, and the weights by order alone."""
    vocab, levels, _, dev = village()
    levels, zero = levels[:3], smoothing.order_zero(len(vocab), False)
    classes = buckets.classes_of(levels, buckets.by_mean_count)
    found = tuning.tune_weights_by_class(vocab, levels, zero, dev, classes)
    _, known, histories = tuning.own_likelihoods(vocab, levels, dev)
    met = [of_all[at[here]] for of_all, at, here in zip(classes, histories, known, strict=True)]
    return found, met, tuning.tune_weights(vocab, levels, zero, dev)


def trigram_weights() -> Iterator[float]:
    """The range of c(h) / T(h), the predictions of dev, and the alpha, of some classes; then the one alpha."""
    found, met, fixed = tuned()
    for kind in RANGES:
        yield from (2 ** (kind / 2), 2 ** ((kind + 1) / 2), (met[2] == kind).sum(), found[2][kind])
    yield fixed[2]


@cache
def story() -> tuple[Vocabulary, object, list[str]]:
    """The story as running text under a Kneser-Ney bigram model of the village, and its words."""
    vocab, levels, _, dev = village()
    model = methods.METHODS["kneser-ney"](vocab, levels[:2], smoothing.order_zero(len(vocab), False), dev)
    words = [word for line in STORY for word in [*line, "</s>"]]
    return vocab, running.read(model, STORY), words


@cache
def story_probs() -> np.ndarray:
    """For each word of the story the model, the two caches, and both mixed in, (4, N)."""
    text = story()[1]
    caches = [running.Cache(order, REACH, weight) for order, weight in zip((1, 2), WEIGHTS, strict=True)]
    shares = [running.cache_probs(text, order, REACH) for order in (1, 2)]
    return np.array([np.exp(text.log_probs), *shares, np.exp(running.adapted(text, caches))])


def caches_by_hand() -> Iterator[float]:
    """The second sentence: each word by the model, by each cache, and by the mixture."""
    yield from (WEIGHTS[0], WEIGHTS[1], REACH)
    for model, unigram, bigram, mixed in story_probs().T[6:]:
        yield from (model, unigram, *([] if math.isnan(bigram) else [bigram]), mixed)
    model, unigram, bigram, mixed = story_probs().T[6]
    first = (1 - WEIGHTS[0]) * model + WEIGHTS[0] * unigram
    yield from (1 - WEIGHTS[0], model, WEIGHTS[0], unigram, first)
    yield from (1 - WEIGHTS[1], first, WEIGHTS[1], bigram, mixed)


@cache
def paragraphs() -> tuple[object, list[list[str]]]:
    """The dev paragraphs as running text under a Kneser-Ney 5-gram model of their train, and their sentences."""
    corpus = load_corpus("village_paragraphs")
    vocab = Vocabulary.from_sentences(corpus.train, min_count=2)
    levels = counts.count_ngrams([vocab.encode(one) for one in corpus.train], 5, len(vocab))
    model = methods.METHODS["kneser-ney"](vocab, levels, smoothing.order_zero(len(vocab), False), [])
    return running.read(model, corpus.dev), corpus.dev


def seen_once() -> Iterator[float]:
    """How many different trigrams and 5-grams the village has, and how many of each were seen once."""
    levels = village()[1]
    for level in (levels[2], levels[4]):
        yield from (len(level.keys), (level.counts == 1).sum())


def after_the(pruned: bool) -> tuple[dict[str, float], dict[str, float], float, dict[str, float]]:
    """By Kneser-Ney bigrams of the three sentences, after *the*: the own part of each word, its share among the
    unigrams, the back-off mass, and P(word | the) in the model. pruned: whether bigrams seen once are left out."""
    vocab, levels = by_hand()
    levels = smoothing.continuation_counts(pruning.mark(levels, [0, 1]) if pruned else levels)
    own, mass = pruning.give_back(levels[1], *smoothing.absolute(1)(2, levels[1], len(vocab)))
    the, size = vocab.ids["the"], len(vocab)
    estimates = {1: smoothing.maximum_likelihood, 2: smoothing.absolute(1)}
    lm = pruning.interpolate_kept(
        vocab, levels, np.zeros(size), lambda order, level, contexts: estimates[order](order, level, contexts)
    )
    _, found = lm.advance(lm.start(1), [the])
    here = levels[1].contexts == the
    words = [vocab.words[key % size] for key in levels[1].keys[here]]
    shares = levels[0].counts / levels[0].counts.sum()
    return (
        dict(zip(words, own[here], strict=True)),
        dict(zip(vocab.words, shares, strict=True)),
        mass[the],
        dict(zip(vocab.words, np.exp(found[0]), strict=True)),
    )


def pruned_by_hand() -> Iterator[float]:
    """Own parts and masses after *the*, whole and with a threshold of 1; then three words in both models."""
    own, shares, mass, whole = after_the(pruned=False)
    _, _, more, pruned = after_the(pruned=True)
    discount, threshold, seen, kinds = 0.6, 1, 3, len(own)
    assert list(own) == ["girl", "son"] and math.isclose(
        discount, smoothing.estimate_discounts(by_hand()[1][1].counts, 1)[0]
    )
    yield discount
    yield from (2, discount, seen, own["girl"], 1, discount, seen, own["son"])
    yield from (discount, kinds, seen, mass, threshold, own["son"], mass, own["son"], more)
    yield from (own["girl"], mass, shares["girl"], whole["girl"], own["girl"], more, shares["girl"], pruned["girl"])
    yield from (own["son"], mass, shares["son"], whole["son"], more, shares["son"], pruned["son"])
    yield from (mass, shares["giggles"], whole["giggles"], more, shares["giggles"], pruned["giggles"])
    yield from (sum(whole.values()), 1)
