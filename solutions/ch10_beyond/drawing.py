"""Exercise 10.3: words and sentences drawn from a model, with noise.

Letters in the shapes: V words of the vocabulary, R sentences that are drawn side by side, each a column.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def gumbel_noise(uniform: np.ndarray) -> np.ndarray:
    """g = -log(-log u): Gumbel noise from numbers u between 0 and 1, element by element (Gumbel 1954).

    uniform: any shape, drawn uniformly between 0 and 1, both excluded -> the same shape.

    gumbel_noise(np.array([exp(-1)])) is [0.0]
    """
    # BEGIN SOLUTION 10.3
    return -np.log(-np.log(uniform))
    # END SOLUTION


def draw_words(log_probs: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """One word for each column: the one whose log P + g is the largest. It is distributed as P if g is Gumbel noise.

    log_probs (V, R) in nats, noise: g (V, R), a number for each word of each column -> the ids of the words, (R,).

    draw_words(np.array([[-1.0], [-2.0]]), np.array([[0.5], [3.0]])) is [1]
    """
    # BEGIN SOLUTION 10.3
    return (log_probs + noise).argmax(axis=0)
    # END SOLUTION


def draw_sentence(next_words: Callable[[list[int]], np.ndarray], noise: np.ndarray) -> list[int]:
    """A sentence drawn word by word, as a list of ids: each word is drawn as above, and then read.

    next_words(words): log P of the word after these, (V,) in nats; next_words([]) is that of the first word. noise: g
    (T, V), a row for each prediction. The sentence ends with the first </s>, which has the id 0 and is part of the
    list. After T predictions without it, the sentence is cut. next_words must be called only once for each word
    predicted.
    """
    # BEGIN SOLUTION 10.3
    words: list[int] = []
    for g in noise:
        words.append(int((next_words(list(words)) + g).argmax()))
        if words[-1] == 0:
            break
    return words
    # END SOLUTION
