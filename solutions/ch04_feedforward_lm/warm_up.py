"""Exercise 4.1, a warm-up: how large a feed-forward model is, and how many classes a class-based softmax should
have."""

from __future__ import annotations

import math


def how_many_parameters(vocabulary_size: int, embedding_size: int, hidden_size: int, order: int) -> int:
    """How many numbers a feed-forward language model of order n learns (Neubig 2017, Eq. 42).

    The model has an embedding for each word of the vocabulary; one hidden layer, whose inputs are the embeddings of the
    n-1 words before; and an output layer with a score for each word of the vocabulary. Both layers have biases.

    how_many_parameters(3, 1, 2, 2) == 16
    """
    # BEGIN SOLUTION 4.1
    embeddings = vocabulary_size * embedding_size
    hidden = ((order - 1) * embedding_size + 1) * hidden_size
    return embeddings + hidden + (hidden_size + 1) * vocabulary_size
    # END SOLUTION


def scores_a_word(vocabulary_size: int, classes: int) -> float:
    """How many scores a class-based softmax computes for the loss of one word, if all classes are of equal size.

    P(word | h) = P(class of the word | h) P(word | its class, h), two softmaxes (Neubig 2017, section 5.6).

    scores_a_word(12, 4) == 7
    """
    # BEGIN SOLUTION 4.1
    return classes + vocabulary_size / classes
    # END SOLUTION


def best_number_of_classes(vocabulary_size: int) -> int:
    """The number of classes for which it computes the fewest scores. (The question of the tutorial's footnote 17.)

    vocabulary_size: a square number, so that the answer is a whole number.

    best_number_of_classes(4) == 2
    """
    # BEGIN SOLUTION 4.1
    return math.isqrt(vocabulary_size)
    # END SOLUTION
