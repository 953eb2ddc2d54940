"""Hard attention: a step reads one source word, and nothing of the others."""

from __future__ import annotations

import dynet as dy


def one_word(weights: dy.Expression) -> dy.Expression:
    """1 for the word of the largest weight and 0 for all others, (S, 1) x B; of equal ones the first.

    A step function has no slope that could be learnt from. The straight-through estimator (Bengio et al. 2013) takes
    that of the identity: going back, the gradient for these numbers is handed to the softmax weights as it is. So
    words that were not seen learn too, from what seeing them would have changed. It is a biased estimate of a gradient
    that does not exist; there is no sampling, and training and search compute the same.
    """
    (words, _), batch = weights.dim()
    largest = dy.argmax(dy.reshape(weights, (words,), batch), gradient_mode="straight_through_gradient")
    return dy.reshape(largest, (words, 1), batch)
