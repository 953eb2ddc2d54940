"""The worked examples of chapter 7 on searching: a beam over three words, length priors, means of distributions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from book.figures.recorded import recorded
from book.worked.ch07 import CHAPTER, corpus
from common.search.beams import Beam
from common.search.decoding import Partial, advance_best, greedy
from common.search.ensemble import log_mean
from common.search.length_prior import LengthPrior, length_score
from common.text.vocab import Vocabulary

WORDS = ["rurnal", "mega", "ya"]
NEXT = {
    "": {"rurnal": 0.5, "mega": 0.4, "ya": 0.1},
    "rurnal": {"mega": 0.4, "ya": 0.35, "</s>": 0.25},
    "mega": {"ya": 0.9, "rurnal": 0.1},
    "rurnal mega": {"</s>": 0.6, "ya": 0.4},
    "mega ya": {"</s>": 0.9, "rurnal": 0.1},
}
"""P(next word | words so far, source) of the example; after anything else the sentence ends."""
BY_HAND = 8
"""The length whose scores are computed in full."""
OPINIONS = ((0.60, 0.38, 0.02), (0.02, 0.28, 0.70))
"""What two models give three words."""


class Table:
    """A model whose next word depends on all words before it, as `NEXT` says, in the form that search asks for."""

    def __init__(self, words: Sequence[str] = WORDS):
        self.vocab = Vocabulary(words)

    def start(self, batch_size: int) -> list[tuple[int, ...]]:
        return [()] * batch_size

    def advance(self, state: list, words: Sequence[int]) -> tuple[list, np.ndarray]:
        """Read one word a row; all words before each, and log P(next word), (rows, vocabulary)."""
        state = [(*before, word) for before, word in zip(state, words, strict=True)]
        probs = np.zeros((len(state), len(self.vocab)))
        for row, ids in enumerate(state):
            so_far = " ".join(self.vocab.decode(ids))
            for word, prob in NEXT.get(so_far, {"</s>": 1.0}).items():
                probs[row, self.vocab.ids[word]] = prob
        with np.errstate(divide="ignore"):
            return state, np.log(probs)

    def select(self, state: list, rows: Sequence[int]) -> list:
        return [state[row] for row in rows]


class Candidate(NamedTuple):
    """A continuation that competed in one step of a beam search."""

    words: tuple[str, ...]
    log_prob: float
    kept: bool


def traced(model, size: int, shown: int, steps: int = 100) -> list[list[Candidate]]:
    """A beam search for one sentence, step by step: the continuations of each, the best first.

    It is common.search's own `Beam`. shown: how many next words of each hypothesis are listed, at least `size`.
    """
    beam, state, found = Beam(size), model.start(1), []
    while beam.live and len(found) < steps:
        before, ended = beam.live, len(beam.ended)
        state, words, log_probs = advance_best(model, state, [one.last for one in before], shown)
        parents = beam.advance(words, log_probs, [None] * len(before))
        kept = {one.ids for one in (*beam.live, *beam.ended[ended:])}
        found.append(competition(model.vocab, before, words, log_probs, kept))
        state = model.select(state, parents)
    return found


def competition(
    vocab: Vocabulary, before: Sequence[Partial], words: np.ndarray, log_probs: np.ndarray, kept: set[tuple[int, ...]]
) -> list[Candidate]:
    """All continuations listed in words, log_probs (hypotheses, listed) that are possible, the best first."""
    longer = [
        partial.extended(word, log_prob, None)
        for partial, some, their in zip(before, words, log_probs, strict=True)
        for word, log_prob in zip(some, their, strict=True)
        if np.isfinite(log_prob)
    ]
    longer.sort(key=lambda one: -one.log_prob)
    return [Candidate(tuple(vocab.words[i] for i in one.ids), one.log_prob, one.ids in kept) for one in longer]


def greedy_and_beam() -> Iterator[float]:
    """Greedy search and a beam of two in the example, every continuation of every step."""
    (found,) = greedy(Table(), 1)
    so_far = ""
    for word in (*found.words, "</s>"):
        yield NEXT[so_far][word]
        so_far = f"{so_far} {word}".strip()
    yield math.exp(found.log_prob)
    for number, step in enumerate(traced(Table(), 2, 4), start=1):
        yield number
        for one in step:
            prob = math.exp(one.log_prob)
            if number > 1:
                before = prob_of(one.words[:-1])
                yield from (before, prob / before)
            yield from (prob, one.log_prob)


def prob_of(words: Sequence[str]) -> float:
    """The probability of a beginning in the example."""
    return math.prod(NEXT[" ".join(words[:n])][word] for n, word in enumerate(words))


@cache
def prior() -> LengthPrior:
    return LengthPrior.from_pairs(corpus().train)


def lengths() -> Iterator[float]:
    """The best translation of each length that a wide beam finds for one sentence, and what three scores say of it."""
    found = recorded(CHAPTER)["by_length"]
    source = len(found["source"].split())
    lengths = [words for words, *_ in found["best"]]
    yield from (source, prior().sources[source], found["beam"])
    yield from (words for words in range(max(lengths)) if words not in lengths)
    yield max(lengths)
    scores = [length_score(kind, source, prior()) for kind in ("none", "normalise", "prior")]
    for words, log_prob, _ in found["best"]:
        yield from (words, prior().pairs[source, words])
        values = [score(log_prob, words) for score in scores]
        yield from (value for value in values if math.isfinite(value))
    words, log_prob, _ = next(one for one in found["best"] if one[0] == BY_HAND)
    price = -prior().log_prob(words, source)
    yield from (words, prior().pairs[source, words], prior().sources[source], -price, log_prob, price, log_prob - price)
    yield from (log_prob, words + 1, log_prob / (words + 1))


def means() -> Iterator[float]:
    """Two opinions, their mean, and the mean of their logarithms."""
    first, second = OPINIONS
    mean = np.exp(log_mean(np.log(OPINIONS)))
    roots = np.sqrt(np.prod(OPINIONS, axis=0))
    for numbers in zip(first, second, mean, roots, roots / roots.sum(), strict=True):
        yield from numbers
    yield roots.sum()


def searches() -> Iterator[float]:
    """What greedy search and a beam of 10 find, means over the recorded seeds: log P, the share of references that are
    more probable (in per cent), length and BLEU."""
    every = recorded(CHAPTER)["scores"]

    def mean(way: str, number: str) -> float:
        return float(np.mean([one[way][number] for one in every]))

    yield from (len(every), mean("1 none", "log_prob"), 10, mean("10 none", "log_prob"))
    yield -float(np.mean([one["references"] for one in every]))
    yield from 100 * np.mean([one["better"] for one in every], axis=0)
    for number in ("words", "bleu"):
        yield from (mean(way, number) for way in ("1 none", "10 none", "10 normalise"))
