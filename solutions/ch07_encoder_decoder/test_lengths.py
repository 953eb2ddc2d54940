"""Graders of lengths.py."""

import math

import numpy as np

from common.search import length_prior
from common.search.decoding import Hypothesis
from solutions.checks import check, close, equal, task

MUTANTS = [
    ("7.7", "hypothesis.log_prob / (len(hypothesis.words) + 1)", "hypothesis.log_prob / len(hypothesis.words)"),
    ("7.7", "hypothesis.log_prob / (len(hypothesis.words) + 1)", "hypothesis.log_prob / max(len(hypothesis.words), 1)"),
    ("7.7", "hypothesis.log_prob / (len(hypothesis.words) + 1)", "hypothesis.log_prob * (len(hypothesis.words) + 1)"),
    (
        "7.7",
        "hypothesis.log_prob / (len(hypothesis.words) + 1)",
        "math.exp(hypothesis.log_prob) / (len(hypothesis.words) + 1)",
    ),
    ("7.7", "/ len(followed)) if", "/ len(lengths)) if"),
    ("7.7", "for length, other in lengths if length == source]", "for other, length in lengths if length == source]"),
    ("7.7", "for length, other in lengths if length == source]", "for length, other in lengths]"),
    ("7.7", "else -math.inf", "else 0.0"),
    ("7.7", "math.log(followed.count(target) / len(followed))", "followed.count(target) / len(followed)"),
    ("7.7", "math.log(followed.count(target) / len(followed))", "math.log10(followed.count(target) / len(followed))"),
    ("7.7", "hypothesis.log_prob + length", "hypothesis.log_prob - length"),
    ("7.7", "source, len(hypothesis.words))", "source, len(hypothesis.words) + 1)"),
    ("7.7", "source, len(hypothesis.words))", "len(hypothesis.words), source)"),
    ("7.7", ", reverse=True", ""),
    ("7.7", "(one.finished, score(one), one.log_prob)", "(score(one), one.log_prob)"),
    ("7.7", "(one.finished, score(one), one.log_prob)", "(one.finished, score(one))"),
    ("7.7", "(one.finished, score(one), one.log_prob)", "(one.finished, one.log_prob)"),
    ("7.7", "(one.finished, score(one), one.log_prob)", "(not one.finished, score(one), one.log_prob)"),
]

PAIRS = [(3, 4), (3, 4), (3, 5), (4, 3), (3, 2), (2, 5), (4, 4), (3, 4)]
"""Lengths of source and target of eight training pairs."""


def hypothesis(length, log_prob, finished=True):
    return Hypothesis(["a"] * length, log_prob, finished)


@task("7.7")
def test_the_normalised_score(work):
    for length, log_prob, expected in [(2, -6.0, -2.0), (4, -2.5, -0.5), (1, -3.0, -1.5)]:
        message = f"log P = {log_prob} of a sentence of {length} word(s): divided by its predictions, </s> among them"
        close(work.normalised(hypothesis(length, log_prob)), expected, message)
    message = "log P = -2 of the empty sentence: its one prediction is </s>"
    close(work.normalised(hypothesis(0, -2.0)), -2.0, message)


@task("7.7")
def test_a_length_bias_is_undone(work):
    short, long = hypothesis(1, -3.0), hypothesis(5, -6.0)
    message = "a long sentence of high probability a word must beat a short one of low, though its log P is lower"
    check(work.normalised(long) > work.normalised(short), message)


@task("7.7")
def test_the_prior_by_hand(work):
    for source, target, expected in [(3, 4, 3 / 5), (3, 5, 1 / 5), (4, 3, 1 / 2), (2, 5, 1.0)]:
        message = (
            f"log P(|E| = {target} | |F| = {source}): how many pairs have this source length, how many of them both?"
        )
        close(work.length_log_prob(PAIRS, source, target), float(np.log(expected)), message)


@task("7.7")
def test_lengths_never_seen(work):
    for source, target in [(4, 5), (5, 2), (9, 9)]:
        message = f"P(|E| = {target} | |F| = {source}) = 0: such a pair was never seen, and the logarithm of 0 is -inf"
        close(work.length_log_prob(PAIRS, source, target), -math.inf, message)


@task("7.7")
def test_the_probabilities_of_lengths_sum_to_one(work):
    for source in (2, 3, 4):
        total = sum(math.exp(work.length_log_prob(PAIRS, source, target)) for target in range(1, 10))
        message = f"P(|E| | |F| = {source}) must sum to 1 over all |E|; yours sum to {total:.4f}. What is c(|F|)?"
        check(abs(total - 1) < 1e-6, message)


@task("7.7")
def test_with_the_prior(work):
    for length, source, expected in [(4, 3, -6.0 + np.log(0.6)), (2, 3, -6.0 + np.log(0.2)), (3, 3, -math.inf)]:
        message = f"a sentence of {length} words for a source of {source}: log P(|E| | |F|) and log P(E | F) added"
        close(work.with_prior(hypothesis(length, -6.0), PAIRS, source), float(expected), message)


@task("7.7")
def test_the_order(work):
    given = [hypothesis(3, -9.0), hypothesis(5, -6.0), hypothesis(2, -1.0, False), hypothesis(1, -3.0)]
    kept = list(given)
    found = work.best_first(given, lambda one: one.log_prob / (len(one.words) + 1))
    message = "the numbers of words of a list in its new order: finished ones first, then by the score that is given"
    equal([len(one.words) for one in found], [5, 1, 3, 2], message)
    check(given == kept, "the list that is given must stay as it is; make a new one")
    found = work.best_first(given, lambda one: -math.inf)
    message = "where no score says anything (-inf everywhere): by log P, finished ones still first"
    equal([len(one.words) for one in found], [1, 5, 3, 2], message)
    equal(work.best_first([], lambda one: 0.0), [], "an empty list stays one")


@task("7.7")
def test_the_course_agrees(work):
    rng = np.random.default_rng(4)
    prior = length_prior.LengthPrior(PAIRS)
    for _ in range(20):
        some = [hypothesis(int(rng.integers(0, 6)), -float(rng.gamma(3)), bool(rng.random() < 0.7)) for _ in range(6)]
        scores = {"normalise": work.normalised, "prior": lambda one: work.with_prior(one, PAIRS, 3)}
        for kind, score in scores.items():
            expected = length_prior.best_first(some, kind, 3, prior)
            message = f"the log-probabilities of six hypotheses in the order that the course gives them by `{kind}`"
            close([one.log_prob for one in work.best_first(some, score)], [one.log_prob for one in expected], message)
