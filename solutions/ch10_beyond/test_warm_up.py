"""Graders of warm_up.py."""

import itertools
import math

from solutions.checks import check, close, task

MUTANTS = [
    ("10.1", "return (1 - error) ** n", "return error**n"),
    ("10.1", "return (1 - error) ** n", "return 1 - error * n"),
    ("10.1", "return (1 - error) ** n", "return 1 - error**n"),
    ("10.1", "return (1 - error) ** n", "return (1 - error) ** (n - 1)"),
    ("10.1", "return (1 - error) ** n", "return 1 - (1 - error) ** n"),
    ("10.1", "    return wrong", "    return wrong / n"),
    ("10.1", "right_so_far * error + (1 - right_so_far) * lost", "error"),
    ("10.1", "right_so_far * error + (1 - right_so_far) * lost", "right_so_far * error + lost"),
    ("10.1", "right_so_far * error + (1 - right_so_far) * lost", "right_so_far * lost + (1 - right_so_far) * error"),
    ("10.1", "(1 - error) ** before", "(1 - error) ** (before + 1)"),
    ("10.1", "Q = [0.3 / 0.6, 0.2 / 0.6, 0.1 / 0.6]", "Q = [0.3, 0.2, 0.1]"),
    ("10.1", "Q = [0.3 / 0.6, 0.2 / 0.6, 0.1 / 0.6]", "Q = [0.09 / 0.14, 0.04 / 0.14, 0.01 / 0.14]"),
    ("10.1", "Q = [0.3 / 0.6, 0.2 / 0.6, 0.1 / 0.6]", "Q = [0.045 / 0.07, 0.02 / 0.07, 0.005 / 0.07]"),
    ("10.1", "Q = [0.3 / 0.6, 0.2 / 0.6, 0.1 / 0.6]", "Q = [1 / 3, 1 / 3, 1 / 3]"),
    ("10.1", "Q[0] * 0.2 + Q[1] * 0.6 + Q[2] * 0.9", "1 - (Q[0] * 0.2 + Q[1] * 0.6 + Q[2] * 0.9)"),
]


def histories(error, lost, n):
    """All sequences of n words, True for a wrong one, and their probabilities."""
    for words in itertools.product([False, True], repeat=n):
        probability = 1.0
        for t, wrong in enumerate(words):
            rate = lost if any(words[:t]) else error
            probability *= rate if wrong else 1 - rate
        yield words, probability


@task("10.1")
def test_all_right_by_counting(work):
    for error, n in ((0.1, 2), (0.25, 3), (0.02, 1), (0.4, 8)):
        expected = sum(p for words, p in histories(error, 0.5, n) if not any(words))
        close(work.all_right(error, n), expected, f"error {error}, {n} words: each of them must be right")


@task("10.1")
def test_no_error_and_no_words(work):
    close(work.all_right(0.0, 20), 1, "a model without errors: 20 words are all right")
    close(work.all_right(1.0, 3), 0, "a model that is always wrong: 3 words")
    close(work.all_right(0.3, 0), 1, "no words: nothing can be wrong")


@task("10.1")
def test_expected_errors_by_counting(work):
    for error, lost, n in ((0.1, 0.5, 3), (0.25, 0.75, 5), (0.2, 1.0, 2), (0.3, 0.1, 4), (0.125, 0.5, 1)):
        expected = sum(p * sum(words) for words, p in histories(error, lost, n))
        what = f"error {error}, lost {lost}, {n} words"
        close(work.expected_errors(error, lost, n), expected, f"{what}: every word is in one of two cases")


@task("10.1")
def test_without_exposure_bias_errors_are_independent(work):
    close(work.expected_errors(0.1, 0.1, 30), 3, "lost = error = 0.1, 30 words: nothing depends on what was before")
    close(work.expected_errors(0.1, 0.7, 0), 0, "no words: no error")


@task("10.1")
def test_the_risk_of_three(work):
    found = work.risk_of_three()
    if isinstance(found, float):
        check(0.2 <= found <= 0.9, f"a mean of costs is between the least and the largest; yours is {found:.4g}")
    powers = [math.sqrt(p) for p in (0.09, 0.04, 0.01)]
    expected = sum(power * cost for power, cost in zip(powers, (0.2, 0.6, 0.9), strict=True)) / sum(powers)
    close(found, expected, "Q from the square roots, which must sum to 1, then the mean of the costs", tolerance=1e-3)
