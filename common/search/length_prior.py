"""How long is a translation? Scores that keep search from preferring short sentences (Neubig 2017, section 7.2.3).

`LENGTH_SCORES` names them. A score decides between sentences that have ended: among those that a search by probability
has found (`best_first`), or already while they are searched for (`beams.ScoredBeam`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from common.search.decoding import Hypothesis
from common.text.pairs import Pair

NEVER = 1e-9
"""The least attention that is not rounded to none, because log 0 is not finite."""


class LengthPrior:
    """P(|E| | |F|), counted on training pairs (Neubig 2017, Eq. 62)."""

    def __init__(self, lengths: Iterable[tuple[int, int]]):
        """lengths: source and target length of each training pair, in words."""
        self.pairs = Counter(lengths)
        self.sources: Counter[int] = Counter()
        for (source, _), count in self.pairs.items():
            self.sources[source] += count

    @classmethod
    def from_pairs(cls, pairs: Iterable[Pair]) -> LengthPrior:
        return cls((len(pair.source), len(pair.target)) for pair in pairs)

    def log_prob(self, target: int, source: int) -> float:
        """log of c(|E|, |F|) / c(|F|), in nats; minus infinity for a length that was never seen with this source's."""
        count = self.pairs[source, target]
        return math.log(count / self.sources[source]) if count else -math.inf


class EndScore:
    """What decides between sentences that have ended, of one source sentence: log P(E | F), in nats.

    Every word lowers it, so short sentences win. The other scores change `__call__`.
    """

    def __init__(self, source_length: int, prior: LengthPrior | None):
        self.source_length, self.prior = source_length, prior

    def __call__(self, log_prob: float, words: int) -> float:
        """The score of a sentence of so many words, in nats, from its log-probability."""
        return log_prob

    def bound(self, log_prob: float, words: int, longest: int) -> float:
        """The highest score that a sentence of at most `longest` words can have which begins with these words: if all
        further ones cost nothing, and the sentence has the best of the lengths left."""
        return max((self(log_prob, length) for length in range(words, longest + 1)), default=-math.inf)


class MeanProbability(EndScore):
    """log P(E | F) / |E| (Neubig 2017, Eq. 63), in nats per prediction.

    `</s>` is one of the predictions whose log-probabilities are summed, and it counts in |E|: a sentence of n words is
    divided by n + 1, and the empty one by 1. The tutorial does not say whether it does.
    """

    def __call__(self, log_prob: float, words: int) -> float:
        return log_prob / (words + 1)


class WithPrior(EndScore):
    """log P(|E| | |F|) + log P(E | F) (Neubig 2017, Eq. 61), in nats; |E| is here words without `</s>`, as counted.

    For a source length that no training pair has, the prior is undefined: the score is log P(E | F).
    """

    prior: LengthPrior

    def __call__(self, log_prob: float, words: int) -> float:
        known = self.prior.sources[self.source_length] > 0
        return log_prob + self.prior.log_prob(words, self.source_length) if known else log_prob


LENGTH_SCORES: dict[str, type[EndScore]] = {"none": EndScore, "normalise": MeanProbability, "prior": WithPrior}


def length_score(kind: str, source_length: int = 0, prior: LengthPrior | None = None) -> EndScore:
    """The score of this kind, a name of `LENGTH_SCORES`, for a source of so many words. Only "prior" needs a prior."""
    return LENGTH_SCORES[kind](source_length, prior)


def coverage_score(attention: np.ndarray) -> float:
    """Has everything been translated? 0 where each source word was attended to once or more, else less.

    It is the sum over source words j of log min(sum over t of alpha_tj, 1) (Wu et al. 2016, section 7).
    attention: (target steps, source words). A word whose weights sum to more than 1 does not raise it.
    """
    return float(np.log(np.clip(np.asarray(attention, dtype=np.float64).sum(axis=0), NEVER, 1)).sum())


def best_first(
    hypotheses: Sequence[Hypothesis],
    kind: str,
    source_length: int = 0,
    prior: LengthPrior | None = None,
    coverage: float = 0.0,
) -> list[Hypothesis]:
    """An n-best list in a new order, the best first. Sentences that did not end come after those that did.

    kind: a name of `LENGTH_SCORES`. Where scores are equal, as where the prior knows none of the lengths, the
    log-probability decides. coverage: how much of `coverage_score` is added, for models with attention.
    """
    score = length_score(kind, source_length, prior)

    def rank(hypothesis: Hypothesis) -> tuple[bool, float, float]:
        value = score(hypothesis.log_prob, len(hypothesis.words))
        if coverage:
            value += coverage * coverage_score(hypothesis.attention)  # type: ignore[arg-type]
        return hypothesis.finished, value, hypothesis.log_prob

    return sorted(hypotheses, key=rank, reverse=True)
