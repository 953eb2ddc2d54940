"""Graders of lengths.py."""

import math

from common.search.decoding import Hypothesis
from solutions.checks import check, close, equal, task

PAIRS = [(3, 4), (3, 4), (3, 5), (4, 3), (3, 2), (2, 5), (4, 4), (3, 4)]
"""Lengths of source and target of eight training pairs."""


def hypothesis(length, log_prob, finished=True):
    return Hypothesis(["a"] * length, log_prob, finished)


@task("7.7")
def test_the_normalised_score(work):
    for length, log_prob, expected in [(2, -6.0, -2.0), (4, -2.5, -0.5), (1, -3.0, -1.5), (0, -2.0, -2.0)]:
        message = f"log P = {log_prob} of a sentence of {length} word(s): divided by its predictions, </s> among them"
        close(work.normalised(hypothesis(length, log_prob)), expected, message)


@task("7.7")
def test_the_prior_by_hand(work):
    for source, target, expected in [(3, 4, 3 / 5), (3, 5, 1 / 5), (4, 3, 1 / 2), (2, 5, 1.0)]:
        message = f"log P(|E| = {target} | |F| = {source}): how many pairs have this source length, and how many both?"
        close(work.length_log_prob(PAIRS, source, target), math.log(expected), message)
    message = "P(|E| = 5 | |F| = 4) = 0: such a pair was never seen, and the logarithm of 0 is -inf"
    close(work.length_log_prob(PAIRS, 4, 5), -math.inf, message)


@task("7.7")
def test_with_the_prior(work):
    for length, expected in [(4, -6.0 + math.log(0.6)), (2, -6.0 + math.log(0.2)), (3, -math.inf)]:
        message = f"a sentence of {length} words for a source of 3: log P(|E| | |F|) and log P(E | F) added"
        close(work.with_prior(hypothesis(length, -6.0), PAIRS, 3), expected, message)


@task("7.7")
def test_the_order(work):
    hypotheses = [hypothesis(3, -9.0), hypothesis(5, -6.0), hypothesis(2, -1.0, False), hypothesis(1, -3.0)]
    copy = list(hypotheses)
    ranked = work.best_first(hypotheses, lambda h: h.log_prob / (len(h.words) + 1))
    message = "the numbers of words of a list in its new order: finished ones first, then by the score that is given"
    equal([len(h.words) for h in ranked], [5, 1, 3, 2], message)
    check(hypotheses == copy, "the list that is given must stay as it is; make a new one")
    ranked = work.best_first(hypotheses, lambda h: -math.inf)
    message = "where no score says anything (-inf everywhere): by log P, finished ones still first"
    equal([len(h.words) for h in ranked], [1, 5, 3, 2], message)
