"""The worked examples of chapter 2 on word clusters and on what no sum of single words can say."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from book.counted import TEXT, by_hand
from chapters.loglinear_lm import clusters, toy
from chapters.ngram_lm import counts


def mergers() -> Iterator[float]:
    """The mutual information of neighbours in the three sentences, and what three mergers of two words would lose."""
    vocab = by_hand()[0]
    text = counts.join([vocab.encode(one) for one in TEXT])
    neighbours = np.zeros((len(vocab), len(vocab)))
    np.add.at(neighbours, text, 1)
    whole = clusters.average_mutual_information(neighbours)
    the, girl = vocab.ids["the"], vocab.ids["girl"]
    pair, total = neighbours[the, girl], neighbours.sum()
    first, second = neighbours[the].sum(), neighbours[:, girl].sum()
    yield from (pair, total, pair, total, pair, total, first, total, second, total)
    yield from (pair / total * math.log(pair * total / (first * second)), whole)
    words = [vocab.ids[word] for word in dict.fromkeys(word for sentence in TEXT for word in sentence)]
    losses = {pair: whole - clusters.average_mutual_information(merged(neighbours, *pair))
              for pair in itertools.combinations(words, 2)}  # fmt: skip
    alike = tuple(vocab.ids[word] for word in ("girl", "son"))
    assert min(losses, key=losses.get) == alike  # "the least of all" on the page
    yield from (
        losses[tuple(vocab.ids[word] for word in pair.split())] for pair in ("girl son", "giggles ponies", "the .")
    )


def merged(neighbours: np.ndarray, a: int, b: int) -> np.ndarray:
    """A table of how often each cluster follows each, with b put into a."""
    found = neighbours.copy()
    for side in (found, found.T):
        side[a] += side[b]
        side[b] = 0
    return found


def log_odds() -> Iterator[float]:
    """What the votes for *hay* less those for *steak* must add up to in each context, and two sums of these."""
    found = {}
    for context in (("farmers", "eat"), ("cows", "grow"), ("cows", "eat"), ("farmers", "grow")):
        hay, steak = toy.FIGURE_6[context]["hay"], toy.FIGURE_6[context]["steak"]
        found[context] = math.log(hay / steak)
        yield from (hay, steak, found[context])
    low, same, *high = found.values()
    yield from (low + same, sum(high))


def sums() -> Iterator[float]:
    """The best sum of single words and the best pairs for the four contexts of Figure 6."""
    truth = toy.FIGURE_6
    best = {spec: toy.best_fit(truth, spec) for spec in ("word1,word2", "pair21")}
    for context, words in truth.items():
        for found in (words, *(toy.probabilities(best[spec], context) for spec in best)):
            yield from (found[word] for word in ("steak", "hay", "beans"))
    yield from (toy.cost(truth), *(toy.cost(truth, one) for one in best.values()))


def expected_counts() -> Iterator[float]:
    """At the minimum a feature expects a word as often as it came: P(hay) over the two contexts with *eat*."""
    truth = toy.FIGURE_6
    fit = toy.best_fit(truth, "word1,word2")
    found = [toy.probabilities(fit, context)["hay"] for context in truth if context[1] == "eat"]
    yield from (*found, sum(found))
    real = [truth[context]["hay"] for context in truth if context[1] == "eat"]
    yield from (*real, sum(real))
