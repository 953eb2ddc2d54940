"""The best that a unigram, bigram or trigram model could reach, were it given the truth.

An n-gram model reads n - 1 words. The best of all such models predicts with the true P(word | last n - 1 words), and
its perplexity is the exponential of the conditional entropy of that distribution. We estimate it from a very large
sample in two ways that err on opposite sides: the entropy of the counts themselves is too low, since they fit their
own sample; the cross-entropy of each half under smoothed counts of the other half is too high, since no estimate is
the truth. The floor lies between.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import islice

from tqdm import tqdm

FLOOR_SENTENCES = 1_000_000
ORDERS = {"unigram": 1, "bigram": 2, "trigram": 3}


def floors(sentences: Iterable[list[str]], count: int) -> dict[str, dict[str, float]]:
    """For each order the perplexities `low` and `high` between which the best model of that order lies.

    sentences: at least `count` independent samples.
    """
    source = iter(tqdm(sentences, "sampling", count, leave=False, disable=None, unit=" sentences"))
    halves = [ngram_counts(islice(source, count // 2)) for _ in range(2)]
    result = {}
    for name, order in ORDERS.items():
        first, second = halves[0][order], halves[1][order]
        low = conditional_entropy(first + second)
        costs = held_out_cost(halves[0], second, order) + held_out_cost(halves[1], first, order)
        high = costs / (first.total() + second.total())
        result[name] = {"low": round(math.exp(low), 3), "high": round(math.exp(high), 3)}
    return result


def ngram_counts(sentences: Iterable[list[str]]) -> dict[int, Counter[tuple[str, ...]]]:
    """How often each n-gram up to the largest order occurs; the past of a sentence is filled up with `<s>`."""
    largest = max(ORDERS.values())
    trigrams: Counter[tuple[str, ...]] = Counter()
    for sentence in sentences:
        tokens = ["<s>"] * (largest - 1) + sentence + ["</s>"]
        trigrams.update(zip(*(tokens[shift:] for shift in range(largest)), strict=False))
    counts: dict[int, Counter[tuple[str, ...]]] = {largest: trigrams}
    for order in range(largest - 1, 0, -1):
        counts[order] = Counter()
        for ngram, count in counts[order + 1].items():
            counts[order][ngram[1:]] += count
    return counts


def conditional_entropy(counts: Counter[tuple[str, ...]]) -> float:
    """H(last word | words before it) of the relative frequencies, in nats."""
    contexts: Counter[tuple[str, ...]] = Counter()
    for ngram, count in counts.items():
        contexts[ngram[:-1]] += count
    total = contexts.total()
    return -sum(count * math.log(count / contexts[ngram[:-1]]) for ngram, count in counts.items()) / total


def held_out_cost(train: dict[int, Counter], test: Counter[tuple[str, ...]], order: int) -> float:
    """What the n-grams `test` cost under Witten-Bell interpolation of the counts `train`, in nats.

    A word that `train` never saw gets a share of what the unigrams leave for new words.
    """
    statistics = {n: _context_statistics(train[n]) for n in range(1, order + 1)}
    types = len(train[1])

    def prob(ngram: tuple[str, ...]) -> float:
        if not ngram:
            return 1 / (10 * types)
        n = len(ngram)
        total, followers = statistics[n].get(ngram[:-1], (0, 1))
        return (train[n][ngram] + followers * prob(ngram[1:])) / (total + followers)

    return -sum(count * math.log(prob(ngram)) for ngram, count in test.items())


def _context_statistics(counts: Counter[tuple[str, ...]]) -> dict[tuple[str, ...], tuple[int, int]]:
    """For each context: how often it occurs, and how many different words follow it."""
    statistics: defaultdict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0])
    for ngram, count in counts.items():
        entry = statistics[ngram[:-1]]
        entry[0] += count
        entry[1] += 1
    return {context: (total, followers) for context, (total, followers) in statistics.items()}
