"""Exercise 7.7: every word costs, so search prefers short sentences. Two remedies for a list of hypotheses.

A Hypothesis of common.search has words (a list, without </s>), log_prob (in nats, </s> included) and finished.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from common.search.decoding import Hypothesis


def normalised(hypothesis: Hypothesis) -> float:
    """log P(E | F) / |E| (Neubig 2017, Eq. 63), where |E| counts </s>: it is predicted too, and |E| is never zero.

    normalised(Hypothesis(["a", "b"], -6.0, True)) == -2
    """
    # BEGIN SOLUTION 7.7
    return hypothesis.log_prob / (len(hypothesis.words) + 1)
    # END SOLUTION


def length_log_prob(lengths: Sequence[tuple[int, int]], source: int, target: int) -> float:
    """log P(|E| | |F|) = log c(|E|, |F|) / c(|F|), in nats (Neubig 2017, Eq. 62): how usual is a target of this length?

    lengths: of each training pair (words of the source, words of the target). source, target: |F| and |E|. What was
    never seen has the log-probability -inf, and so has every length where |F| was never seen.

    length_log_prob([(3, 4), (3, 4), (3, 5), (3, 4), (2, 5)], 3, 4) is log(3/4).
    """
    # BEGIN SOLUTION 7.7
    followed = [other for length, other in lengths if length == source]
    return math.log(followed.count(target) / len(followed)) if target in followed else -math.inf
    # END SOLUTION


def with_prior(hypothesis: Hypothesis, lengths: Sequence[tuple[int, int]], source: int) -> float:
    """log P(|E| | |F|) + log P(E | F) (Neubig 2017, Eq. 61); |E| is here what was counted, words without </s>.

    with_prior(Hypothesis(["a", "b"], -6.0, True), [(1, 2), (1, 2)], 1) == -6
    """
    # BEGIN SOLUTION 7.7
    return hypothesis.log_prob + length_log_prob(lengths, source, len(hypothesis.words))
    # END SOLUTION


def best_first(hypotheses: Sequence[Hypothesis], score: Callable[[Hypothesis], float]) -> list[Hypothesis]:
    """The hypotheses in a new order: those that have finished before those that have not; among these the higher score
    first; where the scores are equal (-inf with a prior that knows none of the lengths), the higher log_prob first.

    The list that is given stays as it is.
    """
    # BEGIN SOLUTION 7.7
    return sorted(hypotheses, key=lambda h: (h.finished, score(h), h.log_prob), reverse=True)
    # END SOLUTION
