"""How long is a translation? Scores that keep search from preferring short sentences (Neubig 2017, section 7.2.3)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from common.coverage import coverage_score
from common.pairs import Pair
from common.search import Hypothesis

LENGTH_SCORES = ("none", "normalise", "prior")


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


def best_first(
    hypotheses: Sequence[Hypothesis],
    kind: str,
    source_length: int = 0,
    prior: LengthPrior | None = None,
    coverage: float = 0.0,
) -> list[Hypothesis]:
    """An n-best list in a new order, the best first. Sentences that did not end come after those that did.

    kind: "none", by log P(E | F); "normalise", by log P(E | F) / |E| with `</s>` counted in |E|, so that it is never
    zero (Eq. 63); "prior", by log P(|E| | |F|) + log P(E | F) (Eq. 61). Where the prior knows none of the lengths
    (or has never seen a source so long), the log-probability decides. coverage: how much of `coverage_score` is added,
    for models that tell their attention.
    """

    def score(hypothesis: Hypothesis) -> tuple[bool, float, float]:
        length = len(hypothesis.words)
        if kind == "normalise":
            value = hypothesis.log_prob / (length + 1)
        elif kind == "prior":
            value = hypothesis.log_prob + prior.log_prob(length, source_length)
        else:
            value = hypothesis.log_prob
        if coverage:
            value += coverage * coverage_score(hypothesis.attention)
        return hypothesis.finished, value, hypothesis.log_prob

    return sorted(hypotheses, key=score, reverse=True)
