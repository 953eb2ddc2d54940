"""Exercise 7.7: every word lowers the probability, so search prefers short sentences. Two remedies.

A Hypothesis of common.search has words (a list, without </s>), log_prob (in nats, </s> included) and finished.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from common.search.decoding import Hypothesis


def normalised(hypothesis: Hypothesis) -> float:
    """log P(E | F) / (|E| + 1) (Neubig 2017, Eq. 63): + 1 for </s>, even if the hypothesis is not finished.

    normalised(Hypothesis(["a", "b"], -6.0, True)) == -2
    """
    # BEGIN SOLUTION 7.7
    return hypothesis.log_prob / (len(hypothesis.words) + 1)
    # END SOLUTION


def length_log_prob(lengths: Sequence[tuple[int, int]], source: int, target: int) -> float:
    """log P(|E| | |F|) = log c(|E|, |F|) / c(|F|), in nats (Neubig 2017, Eq. 62): how common is a target of this
    length?

    lengths: for each training pair, (words in the source, words in the target). source, target: |F| and |E|. A pair of
    lengths that was never seen has the log-probability -inf, and so has every |E| if |F| was never seen.

    length_log_prob([(3, 4), (3, 4), (3, 5), (3, 4), (2, 5)], 3, 4) is log(3/4).
    """
    # BEGIN SOLUTION 7.7
    followed = [other for length, other in lengths if length == source]
    return math.log(followed.count(target) / len(followed)) if target in followed else -math.inf
    # END SOLUTION


def with_prior(hypothesis: Hypothesis, lengths: Sequence[tuple[int, int]], source: int) -> float:
    """log P(|E| | |F|) + log P(E | F) (Neubig 2017, Eq. 61); here, as in `lengths`, |E| does not count </s>.

    with_prior(Hypothesis(["a", "b"], -6.0, True), [(1, 2), (1, 2)], 1) == -6
    """
    # BEGIN SOLUTION 7.7
    return hypothesis.log_prob + length_log_prob(lengths, source, len(hypothesis.words))
    # END SOLUTION


def best_first(hypotheses: Sequence[Hypothesis], score: Callable[[Hypothesis], float]) -> list[Hypothesis]:
    """The hypotheses, sorted: finished ones before unfinished ones; within each group, higher scores first; where
    scores are equal (-inf by a prior that has seen none of the lengths), higher log_prob first.

    The given list must not change.
    """
    # BEGIN SOLUTION 7.7
    return sorted(hypotheses, key=lambda h: (h.finished, score(h), h.log_prob), reverse=True)
    # END SOLUTION
