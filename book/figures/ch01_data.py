"""What the figures of chapter 1 show, computed by the chapter's own code on the embedded corpus."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from book.counted import trained, two_opinions, village
from chapters.ngram_lm import counts, methods
from common.evaluation.perplexity import evaluate
from common.text.corpus import load_corpus


@cache
def corpus():
    return load_corpus("village")


OF_PART_2 = ("weights-by-count", "weights-by-mean-count")


def dev_perplexities() -> dict[tuple[str, int], float]:
    """Perplexity on dev for each smoothing method of the lesson and each order: what train.py prints."""
    names = [name for name in methods.METHODS if name not in ("maximum-likelihood", *OF_PART_2)]
    return {(name, n): evaluate(trained(name, n), corpus().dev).perplexity for name in names for n in range(2, 6)}


def mixed_perplexity(split: str, alpha: float) -> float:
    """Perplexity of (1 - alpha) bigram + alpha unigram on a split."""
    bigram, unigram = two_opinions(split)
    return math.exp(-np.log((1 - alpha) * bigram + alpha * unigram).mean())


def em_path(start: float, rounds: int) -> list[float]:
    """The alphas that expectation-maximisation goes through on dev, the start included."""
    bigram, unigram = two_opinions("dev")
    alphas = [start]
    for _ in range(rounds):
        mixed = (1 - alphas[-1]) * bigram + alphas[-1] * unigram
        alphas.append(float((alphas[-1] * unigram / mixed).mean()))
    return alphas


def share_seen() -> list[float]:
    """For orders 1 to 5, the share of dev's n-grams that train holds."""
    vocab, levels, _, dev = village()
    lm = trained("absolute", 5)
    inputs, targets = counts.join(dev)
    contexts = lm.contexts(inputs)
    shares = [float((levels[0].counts[targets] > 0).mean())]
    for order in range(2, 6):
        before = contexts[order - 2]
        seen = (lm.find(order, before, targets) != counts.NOWHERE) & (before != counts.NOWHERE)
        shares.append(float(seen.sum()) / sum(max(len(sentence) + 3 - order, 0) for sentence in dev))
    return shares


class Step(NamedTuple):
    """One look-up of a query: the n-gram, whether train holds it, its probability or the factor of its context."""

    ngram: str
    seen: bool
    number: float


def look_up(words: list[str], method: str = "kneser-ney", order: int = 4) -> list[Step]:
    """The way of a query through the tables, longest n-gram first, until one is found."""
    lm = trained(method, order)
    ids = np.array(lm.vocab.encode(words))
    steps, contexts = [], [numbers[-1:] for numbers in lm.contexts(ids[:-1])]
    for n in range(min(order, len(ids)), 1, -1):
        context, name = contexts[n - 2], " ".join(words[-n:])
        (entry,) = lm.find(n, context, ids[-1:])
        if entry != counts.NOWHERE:
            return [*steps, Step(name, True, math.exp(lm.log_probabilities[n - 1][entry]))]
        steps.append(Step(name, False, math.exp(lm.log_factors[n - 2][context].item())))
    return [*steps, Step(words[-1], True, math.exp(lm.log_probabilities[0][ids[-1]]))]
