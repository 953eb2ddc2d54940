"""Exercise 2.1, a warm-up: the size of a log-linear model, how little of it one word changes, and its first loss.

The model is the tutorial's baseline: its features are the words before, with one feature function per distance. With
two distances, there is a feature for each word of the vocabulary one place back, and one for each word two places back.
V is the number of words in the vocabulary, <unk> and the boundary among them.
"""

from __future__ import annotations

import math


def how_many_parameters(vocabulary_size: int, distances: int) -> int:
    """How many numbers are in W and b together?

    how_many_parameters(3, 1) == 12
    """
    # BEGIN SOLUTION 2.1
    return distances * vocabulary_size * vocabulary_size + vocabulary_size
    # END SOLUTION


def how_many_move(vocabulary_size: int, distances: int) -> int:
    """How many of the numbers in W and b have a non-zero gradient, if the loss is that of a single word?

    how_many_move(3, 1) == 6
    """
    # BEGIN SOLUTION 2.1
    return (distances + 1) * vocabulary_size
    # END SOLUTION


def loss_of_a_beginner(vocabulary_size: int) -> float:
    """The loss of one word, in nats, of a model whose W and b are still zero.

    loss_of_a_beginner(1) == 0
    """
    # BEGIN SOLUTION 2.1
    return math.log(vocabulary_size)
    # END SOLUTION


def five_more() -> str:
    """What happens if 5 is added to every score of a context? Return the letter of the true statement:

    a  All probabilities are exp(5) times as large.
    b  The probabilities do not change.
    c  The distribution gets flatter, nearer to uniform.
    d  The loss falls by 5 nats.
    """
    # BEGIN SOLUTION 2.1
    return "b"
    # END SOLUTION
