"""Exercise 10.1, a warm-up with pencil and paper: how one error leads to the next, and what candidates cost."""

from __future__ import annotations


def all_right(error: float, n: int) -> float:
    """The probability that the first n words of a translation are all correct.

    error: the probability that a word is wrong, if all words before it are correct.

    all_right(0.5, 2) == 0.25
    """
    # BEGIN SOLUTION 10.1
    return (1 - error) ** n
    # END SOLUTION


def expected_errors(error: float, lost: float, n: int) -> float:
    """How many of n words are wrong on average, if a model reads its own words?

    As long as all words are correct, the next one is wrong with the probability `error`. After one or more wrong words,
    the model reads something it has never read in training, and each further word is wrong with the probability `lost`.
    If `lost` is larger than `error`, this is exposure bias (Ranzato et al. 2016).

    expected_errors(0.5, 1, 2) == 1.25
    """
    # BEGIN SOLUTION 10.1
    wrong = 0.0
    for before in range(n):
        right_so_far = (1 - error) ** before
        wrong += right_so_far * error + (1 - right_so_far) * lost
    return wrong
    # END SOLUTION


def risk_of_three() -> float:
    """The expected cost of three candidates, sum over c of Q(c) cost(c) (Shen et al. 2016).

    Q(c) = P(c)^alpha / sum over c' of P(c')^alpha, with alpha = 1/2. The candidates have the probabilities 0.09, 0.04
    and 0.01, and the costs 0.2, 0.6 and 0.9.
    """
    # BEGIN SOLUTION 10.1
    Q = [0.3 / 0.6, 0.2 / 0.6, 0.1 / 0.6]  # square roots, divided by their sum
    return Q[0] * 0.2 + Q[1] * 0.6 + Q[2] * 0.9
    # END SOLUTION
