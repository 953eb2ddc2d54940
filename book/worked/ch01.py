"""The worked examples of chapter 1. All come from the chapter's own counting and smoothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import numpy as np

from chapters.ngram_lm import counts, methods as methods, model as model, smoothing, tuning
from common.evaluation.perplexity import UNKNOWN_WORD_TYPES, spelt_evenly
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary

TEXT = [one.split() for one in ("the girl giggles .", "the son giggles .", "the girl feeds ponies .")]
NEW = "the son feeds ponies .".split()
ALPHA = 0.2
NO_ORDER_ZERO = [0.0]
"""The alpha of order 1 in the examples: unigrams are not mixed with anything below."""


@cache
def by_hand() -> tuple[Vocabulary, list]:
    """The words of the three sentences, and their n-grams of orders 1 and 2."""
    vocab = Vocabulary.from_sentences(TEXT)
    return vocab, counts.count_ngrams([vocab.encode(one) for one in TEXT], 2, len(vocab))


def estimate(alpha: float, order: int = 2) -> np.ndarray:
    """P of each word of the new sentence and of `</s>`, alpha of it from the unigrams."""
    vocab, levels = by_hand()
    weights = smoothing.fixed_weights([*NO_ORDER_ZERO, alpha])
    lm = smoothing.interpolate(vocab, levels[:order], np.zeros(len(vocab)), weights)
    inputs, targets = counts.join([vocab.encode(NEW)])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.exp(lm.score(lm.contexts(inputs), targets))


def pairs() -> list[tuple[int, int, int]]:
    """For each prediction of the new sentence c(pair), c(word before), and c(word)."""
    vocab, levels = by_hand()
    inputs, targets = counts.join([vocab.encode(NEW)])
    of_pair = dict(zip(levels[1].keys.tolist(), levels[1].counts.tolist(), strict=True))
    pair = [of_pair.get(key, 0) for key in (inputs * len(vocab) + targets).tolist()]
    return list(zip(pair, levels[0].counts[inputs].tolist(), levels[0].counts[targets].tolist(), strict=True))


def surprise() -> Iterator[float]:
    """How surprised the two models are, word by word, and the perplexity."""
    vocab, levels = by_hand()
    after_the = {vocab.words[key % len(vocab)]: n for key, n in zip(levels[1].keys, levels[1].counts, strict=True)
                 if key // len(vocab) == vocab.ids["the"]}  # fmt: skip
    seen = levels[0].counts[vocab.ids["the"]]
    assert (after_the["girl"], after_the["son"]) == (2, 1)  # "twice" and "once" on the page
    yield seen
    yield from (after_the["girl"], seen, after_the["girl"] / seen, after_the["son"], seen, after_the["son"] / seen)
    total = int(levels[0].counts.sum())
    yield from (sum(len(one) for one in TEXT), len(TEXT), total)
    yield from (1 - ALPHA, ALPHA)  # the head of the table
    bigram, mixture = estimate(0.0), estimate(ALPHA)
    for (pair, before, word), one, mixed in zip(pairs(), bigram, mixture, strict=True):
        yield from (pair, before, one, word, total, mixed, -math.log(mixed))
    yield from (bigram.prod(), mixture.prod(), -np.log(mixture).sum())


def perplexity() -> Iterator[float]:
    surprises = -np.log(estimate(ALPHA))
    predictions = len(surprises)
    yield from (surprises.sum(), surprises[2], predictions)
    mean = surprises.mean()
    yield from (surprises.sum(), predictions, mean, mean, math.log(2), mean / math.log(2), mean, math.exp(mean))


def em_rounds(rounds: int, opinions: tuple | None = None) -> tuple[list[float], list[np.ndarray]]:
    """The alphas before each round and after the last, and the responsibilities of the unigram model in each.

    opinions: what the two models give each prediction, both (predictions,); without them, the new sentence's.
    """
    bigram, unigram = opinions or (estimate(0.0), estimate(1.0))
    alphas, shares = [0.5], []
    for _ in range(rounds):
        shares.append(alphas[-1] * unigram / ((1 - alphas[-1]) * bigram + alphas[-1] * unigram))
        alphas.append(float(shares[-1].mean()))
    return alphas, shares


def em() -> Iterator[float]:
    """Two rounds of expectation-maximisation in full, then where it ends."""
    bigram, unigram = estimate(0.0), estimate(1.0)
    alphas, shares = em_rounds(500)
    son = 1
    yield from (alphas[0], alphas[0], unigram[son], alphas[0], bigram[son], alphas[0], unigram[son], shares[0][son])
    yield from alphas[:2]  # the head of the table
    for one, other, first, second in zip(bigram, unigram, shares[0], shares[1], strict=True):
        yield from (one, other, first, second)
    yield from (shares[0].sum(), shares[1].sum())
    predictions = len(bigram)
    yield from (alphas[0], shares[0].sum(), predictions, alphas[1])
    yield from (shares[1].sum(), predictions, alphas[2], alphas[-1])
    yield from (math.exp(-np.log(estimate(alphas[0])).mean()), math.exp(-np.log(estimate(alphas[-1])).mean()))


def imagined() -> Iterator[float]:
    """Where the code ends, with its imagined predictions, and where EM does: by hand, and on the village's dev."""
    for opinions in ((estimate(0.0), estimate(1.0)), two_opinions("dev")):
        yield from (len(opinions[0]), tuning.tune_weight(*opinions), em_rounds(500, opinions)[0][-1])


def kneser_ney() -> Iterator[float]:
    """Continuation counts of the three sentences, the discount, and all of P(w | girl)."""
    vocab, levels = by_hand()
    fits = smoothing.continuation_counts(levels)[0].counts
    total, kinds = int(levels[0].counts.sum()), len(levels[1].keys)
    yield kinds
    for word in ("giggles", "the", "feeds", "."):
        count, places = levels[0].counts[vocab.ids[word]], fits[vocab.ids[word]]
        yield from (count, count, total, places, places, kinds, places / kinds)
    once, twice = (int((levels[1].counts == times).sum()) for times in (1, 2))
    discount = smoothing.estimate_discounts(levels[1].counts, 1)[0]
    yield from (once, twice, once, once, 2, twice, discount)
    here = levels[1].contexts == vocab.ids["girl"]
    seen, followers = int(levels[1].counts[here].sum()), int(here.sum())
    mass = discount * followers / seen
    yield from (seen, followers, 1, discount, seen, (1 - discount) / seen, discount, followers, seen, mass)
    after = after_girl()
    for word in ("giggles", "feeds", ".", "the"):
        own = (1 - discount) / seen if word in ("giggles", "feeds") else 0
        yield from ([own] if own else []) + [mass, fits[vocab.ids[word]] / kinds, after[word]]
    yield sum(after.values())
    the = levels[0].counts[vocab.ids["the"]]
    assert the == levels[0].counts[vocab.ids["."]]  # "would both have" on the page
    yield from (mass, the, total, mass * the / total)


def back_off() -> Iterator[float]:
    """The factor after *girl*, and a word that was never seen there; the discount is that of `kneser_ney`."""
    vocab, levels = by_hand()
    discount = smoothing.estimate_discounts(levels[1].counts, 1)[0]
    here = levels[1].contexts == vocab.ids["girl"]
    kept = smoothing.absolute(1)(2, levels[1], len(vocab))[0][here]
    left = 1 - kept.sum()
    total = int(levels[0].counts.sum())
    below = levels[0].counts[levels[1].suffixes[here]]
    yield from (discount, kept[0], 1, *kept, left)
    below = sorted(below.tolist(), reverse=True)
    share = 1 - sum(below) / total
    yield from (1, below[0], total, below[1], total, share)
    beta = left / share
    the = levels[0].counts[vocab.ids["the"]]
    yield from (left, share, beta, beta, the, total, beta * the / total)


def after_girl() -> dict[str, float]:
    """P(word | girl) by Kneser-Ney, its unigrams left undiscounted, for the words of the three sentences."""
    vocab, levels = by_hand()
    changed = smoothing.continuation_counts(levels)
    below = changed[0].counts / changed[0].counts.sum()
    own, mass = smoothing.absolute(1)(2, changed[1], len(vocab))
    girl = vocab.ids["girl"]
    probs = mass[girl] * below
    here = changed[1].contexts == girl
    probs[changed[1].keys[here] % len(vocab)] += own[here]
    return {word: float(probs[vocab.ids[word]]) for word in vocab.words if probs[vocab.ids[word]] > 0}


@cache
def village() -> tuple[Vocabulary, list, list, list]:
    """The embedded corpus as train.py reads it: vocabulary, levels of orders 1 to 5, and train and dev as ids."""
    corpus = load_corpus("village")
    vocab = Vocabulary.from_sentences(corpus.train, min_count=2)
    train, dev = ([vocab.encode(one) for one in split] for split in (corpus.train, corpus.dev))
    return vocab, counts.count_ngrams(train, 5, len(vocab)), train, dev


def followers(word: str) -> dict[str, int]:
    """What follows a word in train, and how often, most frequent first."""
    vocab, levels, *_ = village()
    here = levels[1].contexts == vocab.ids[word]
    found = {vocab.words[key]: int(n)
             for key, n in zip(levels[1].keys[here] % len(vocab), levels[1].counts[here], strict=True)}  # fmt: skip
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


def hen() -> Iterator[float]:
    """What follows *hen* in the village."""
    after = followers("hen")
    total = sum(after.values())
    yield from (total, len(after), after["of"], after["of"] / total)


def discounted_hen() -> Iterator[float]:
    """The discount of the village's bigrams, and the back-off mass after *hen*."""
    level = village()[1][1]
    once, twice = (int((level.counts == times).sum()) for times in (1, 2))
    discount = smoothing.estimate_discounts(level.counts, 1)[0]
    yield from (once, twice, once, once, 2, twice, discount)
    after = followers("hen")
    yield from (discount, len(after), sum(after.values()), discount * len(after) / sum(after.values()))


def unknown() -> Iterator[float]:
    """What an unknown word costs by unigrams: `<unk>`, and which of ten million words stands behind it."""
    vocab, levels, *_ = village()
    seen, total = levels[0].counts[Vocabulary.unknown], levels[0].counts.sum()
    spelt = -spelt_evenly(vocab, ["elmena"])[0]
    yield from (seen, total, seen / total, -math.log(seen / total), 1, UNKNOWN_WORD_TYPES, spelt)
    yield spelt - math.log(seen / total)


def then() -> Iterator[float]:
    """*then* and *quietly* in the village: how often, and after how many different words."""
    vocab, levels, *_ = village()
    fits = smoothing.continuation_counts(levels)[0].counts
    for word in ("then", "quietly"):
        yield from (levels[0].counts[vocab.ids[word]], fits[vocab.ids[word]])


@cache
def two_opinions(split: str) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities that a bigram and a unigram model, both of maximum likelihood, give every prediction.

    The unigrams hold one in a million for order zero, so that nothing is impossible.
    """
    vocab, levels, train, dev = village()
    sentences = {"train": train, "dev": dev}[split]
    zero = smoothing.order_zero(len(vocab), False)
    inputs, targets = counts.join(sentences)
    found = []
    for alpha in (0.0, 1.0):
        lm = smoothing.interpolate(vocab, levels[:2], zero, smoothing.fixed_weights([1e-6, alpha]))
        with np.errstate(divide="ignore", invalid="ignore"):
            found.append(np.exp(lm.score(lm.contexts(inputs), targets)))
    return found[0], found[1]
