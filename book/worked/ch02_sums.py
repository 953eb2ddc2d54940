"""The worked examples of chapter 2 on what no sum of single words can say, from the chapter's own toy.py."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator

toy = importlib.import_module("chapters.02_loglinear_lm.toy")


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
