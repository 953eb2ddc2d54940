"""Graders of warm_up.py."""

import numpy as np

from solutions.checks import check, close, task


@task("10.1")
def test_all_right_by_hand(work):
    message = "error 0.1, 3 words: each of them must be right"
    close(work.all_right(0.1, 3), 0.9 * 0.9 * 0.9, message)


@task("10.1")
def test_expected_errors_by_hand(work):
    first, second, third = 0.1, 0.9 * 0.1 + 0.1 * 0.5, 0.81 * 0.1 + 0.19 * 0.5
    message = "error 0.1, lost 0.5, 3 words: every word is in one of two cases, that all before it were right, or not"
    close(work.expected_errors(0.1, 0.5, 3), first + second + third, message)


@task("10.1")
def test_the_risk_of_three(work):
    risk, powers = work.risk_of_three(), np.sqrt([0.09, 0.04, 0.01])
    if isinstance(risk, float):
        check(0.2 <= risk <= 0.9, f"a mean of costs is between the least and the largest; yours is {risk:.4g}")
    message = "Q from the square roots, which must sum to 1, then the mean of the costs"
    close(risk, float(powers @ [0.2, 0.6, 0.9] / powers.sum()), message, tolerance=1e-3)
