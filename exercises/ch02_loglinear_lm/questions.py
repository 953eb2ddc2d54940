"""Exercise 2.1, a warm-up: how large a log-linear model is, how little of it a word moves, and where it begins.

The model is the tutorial's baseline: its features are the words before, one function a distance. With two distances
there is a feature for each word of the vocabulary one place back, and one for each word two places back. V is the
number of words in the vocabulary, <unk> and the boundary among them.
"""

from __future__ import annotations

import math


def how_many_parameters(vocabulary_size: int, distances: int) -> int:
    """How many numbers are in W and b together?

    how_many_parameters(3, 1) == 12
    """
    # TODO 2.1: how large, how little moves, where it begins
    raise NotImplementedError("Exercise 2.1: how large, how little moves, where it begins")


def how_many_move(vocabulary_size: int, distances: int) -> int:
    """How many numbers of W and b have a gradient that is not zero, where the loss is that of a single word?

    how_many_move(3, 1) == 6
    """
    # TODO 2.1: how large, how little moves, where it begins
    raise NotImplementedError("Exercise 2.1: how large, how little moves, where it begins")


def loss_of_a_beginner(vocabulary_size: int) -> float:
    """The loss of one word, in nats, of a model whose W and b are still zero.

    loss_of_a_beginner(1) == 0
    """
    # TODO 2.1: how large, how little moves, where it begins
    raise NotImplementedError("Exercise 2.1: how large, how little moves, where it begins")


def five_more() -> str:
    """What if 5 is added to every score of a context? The letter of what is true:

    a  All probabilities are exp(5) times as large.
    b  The probabilities stay what they were.
    c  The distribution gets flatter, nearer to uniform.
    d  The loss falls by 5 nats.
    """
    # TODO 2.1: how large, how little moves, where it begins
    raise NotImplementedError("Exercise 2.1: how large, how little moves, where it begins")
