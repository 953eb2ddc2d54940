"""Exercise 4.5, advanced: a class-based softmax, which computes a few hundred scores instead of all of them.

Letters in the shapes: V vocabulary, C classes, H size of the softmax's input, N predictions side by side.
"""

from __future__ import annotations

from typing import NamedTuple

import dynet as dy
import numpy as np


class ClassWeights(NamedTuple):
    """The parameters of the softmax. The words of a class are in the order of their ids."""

    class_of: np.ndarray
    """(V,): the class of each word, 0 to C-1; no class is empty."""
    W_classes: dy.Parameters
    """(C, H)"""
    b_classes: dy.Parameters
    """(C,)"""
    W_words: list[dy.Parameters]
    """For each class (words of the class, H)."""
    b_words: list[dy.Parameters]
    """For each class (words of the class,)."""


def places_in_classes(class_of: np.ndarray) -> np.ndarray:
    """The place of each word within its class, counted from 0 in the order of the ids: (V,).

    places_in_classes(np.array([0, 1, 0, 0, 1])) is [0, 0, 1, 2, 1].
    """
    # TODO 4.5: a class-based softmax (advanced)
    raise NotImplementedError("Exercise 4.5: a class-based softmax (advanced)")


def losses(weights: ClassWeights, hidden: dy.Expression, targets: np.ndarray) -> dy.Expression:
    """-log P(target) = -log P(its class | h) - log P(target | its class, h) (Neubig 2017, section 5.6): (1,) x N, in
    nats.

        P(class | h) = softmax(W_classes h + b_classes)            P(word | class, h) = softmax(W_words h + b_words)

    with the W_words and b_words of that class. hidden (H,) x N, targets (N,): ids; losses in the order of the targets.

    The aim is to compute little: handle all predictions whose targets are in the same class together, with one product,
    and do not use the weights of classes in which there is no target. Useful: dy.pick_batch_elems(expression, list of n
    places), which takes n of its batch; dy.concatenate_to_batch(list), its opposite; dy.pickneglogsoftmax_batch(scores,
    list of places).

    With 2 classes of 2 words each and all parameters zero, every loss is log 2 + log 2.
    """
    # TODO 4.5: a class-based softmax (advanced)
    raise NotImplementedError("Exercise 4.5: a class-based softmax (advanced)")


def distribution(weights: ClassWeights, hidden: dy.Expression) -> np.ndarray:
    """log P of every word in nats, as numbers, for one prediction: hidden (H,) -> (V,), in the order of the ids.

    All classes are computed here: this function is for drawing words, not for training.

    With 2 classes, one of 1 word and one of 2, and all parameters zero: log of 1/2, 1/4, 1/4.
    """
    # TODO 4.5: a class-based softmax (advanced)
    raise NotImplementedError("Exercise 4.5: a class-based softmax (advanced)")
