"""Exercise 3.1, a warm-up: what a linear model cannot do, and how large a network is.

The task is equality (XOR with its output inverted): the points (1, 1) and (-1, -1) have the label 1, the points
(1, -1) and (-1, 1) the label -1. A linear model is y = w_1 x_1 + w_2 x_2 + b, and it decides by the sign of y.
"""

from __future__ import annotations


def most_points_right() -> int:
    """How many of the four points, at most, can a linear model classify correctly?"""
    # TODO 3.1: a line cannot do it: four questions
    raise NotImplementedError("Exercise 3.1: a line cannot do it: four questions")


def smallest_squared_error() -> float:
    """The smallest mean squared error, the mean of (y* - y)^2 over the four points, that a linear model can have.

    Whichever of w_1, w_2 and b moves away from 0, and in whichever direction, the error grows.
    """
    # TODO 3.1: a line cannot do it: four questions
    raise NotImplementedError("Exercise 3.1: a line cannot do it: four questions")


def why_not_all() -> str:
    """Why can no linear model classify all four points correctly? Return the letter of the reason that proves it:

    a  It has three parameters for four points, and with more points than parameters, some must be wrong.
    b  Gradient descent finds a local minimum of the squared error, and the global one is elsewhere.
    c  The labels are correlated with x_1 and x_2 too strongly for a single line.
    d  The four conditions on w_1, w_2 and b, added up, imply that 0 is larger than 0.
    """
    # TODO 3.1: a line cannot do it: four questions
    raise NotImplementedError("Exercise 3.1: a line cannot do it: four questions")


def how_many_parameters(inputs: int, hidden_size: int, layers: int) -> int:
    """How many numbers a multi-layer perceptron learns: `layers` hidden layers of `hidden_size` units, then one output.

    Every layer has a weight for each pair of an input and a unit, and a bias for each unit.

    how_many_parameters(2, 3, 1) == 13
    """
    # TODO 3.1: a line cannot do it: four questions
    raise NotImplementedError("Exercise 3.1: a line cannot do it: four questions")
