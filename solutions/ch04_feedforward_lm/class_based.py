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
    # BEGIN SOLUTION 4.5
    places = np.zeros_like(class_of)
    for number in np.unique(class_of):
        places[class_of == number] = np.arange((class_of == number).sum())
    return places
    # END SOLUTION


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
    # BEGIN SOLUTION 4.5
    classes, places = weights.class_of[targets], places_in_classes(weights.class_of)[targets]
    parts, order = [], []
    for number in np.unique(classes):
        group = np.flatnonzero(classes == number)
        h = dy.pick_batch_elems(hidden, group.tolist())
        scores = dy.affine_transform([weights.b_words[number], weights.W_words[number], h])
        parts.append(dy.pickneglogsoftmax_batch(scores, places[group].tolist()))
        order.extend(group.tolist())
    back = np.argsort(order).tolist()
    within = dy.pick_batch_elems(dy.concatenate_to_batch(parts), back)
    class_scores = dy.affine_transform([weights.b_classes, weights.W_classes, hidden])
    return dy.pickneglogsoftmax_batch(class_scores, classes.tolist()) + within
    # END SOLUTION


def distribution(weights: ClassWeights, hidden: dy.Expression) -> np.ndarray:
    """log P of every word in nats, as numbers, for one prediction: hidden (H,) -> (V,), in the order of the ids.

    All classes are computed here: this function is for drawing words, not for training.

    With 2 classes, one of 1 word and one of 2, and all parameters zero: log of 1/2, 1/4, 1/4.
    """
    # BEGIN SOLUTION 4.5
    class_scores = dy.affine_transform([weights.b_classes, weights.W_classes, hidden])
    log_classes = dy.log_softmax(class_scores).npvalue().ravel()
    result = np.zeros(len(weights.class_of))
    for number, log_class in enumerate(log_classes):
        scores = dy.affine_transform([weights.b_words[number], weights.W_words[number], hidden])
        result[weights.class_of == number] = log_class + dy.log_softmax(scores).npvalue().ravel()
    return result
    # END SOLUTION
