"""Exercise 7.1, a warm-up with pencil and paper: which sentence does a search find?

A model of two words, a and b, gives each next word this probability, depending on the words written so far:

    after       a     b     </s>
    <s>         0.5   0.4   0.1
    <s> a       0.2   0.5   0.3
    <s> b       0.1   0.1   0.8
    two words               1.0

(Neubig's tutorial, Figure 22, has another such graph.) A sentence is written here without its </s>: "b" ends after b.
"""

from __future__ import annotations

import math


def found_by_greedy_search() -> str:
    """The sentence that greedy search writes, its words separated by a space. ("" would be the empty sentence.)"""
    # TODO 7.1: which sentence does a search find?
    raise NotImplementedError("Exercise 7.1: which sentence does a search find?")


def most_probable() -> str:
    """The most probable of all sentences."""
    # TODO 7.1: which sentence does a search find?
    raise NotImplementedError("Exercise 7.1: which sentence does a search find?")


def normalised_score() -> float:
    """log P(E) / |E| of the sentence that greedy search writes (Neubig 2017, Eq. 63), with the natural logarithm.

    |E| counts </s>, since it is a prediction like the others. For the sentence "a" it is log(0.5 * 0.3) / 2 = -0.95.
    """
    # TODO 7.1: which sentence does a search find?
    raise NotImplementedError("Exercise 7.1: which sentence does a search find?")


def sentences_to_compare(words: int, longest: int) -> int:
    """How many sentences does exhaustive search compare? It compares all those of at most `longest` words, even the
    empty one.

    words: in the vocabulary, </s> not counted.

    sentences_to_compare(2, 2) == 7
    """
    # TODO 7.1: which sentence does a search find?
    raise NotImplementedError("Exercise 7.1: which sentence does a search find?")


def probabilities_in_a_beam(words: int, steps: int, size: int) -> int:
    """How many continuations does beam search compare in `steps` steps, if no hypothesis ends? At the first step, those
    of <s>; at each later one, those of `size` beginnings (Neubig 2017, section 7.2.3).

    words: in the vocabulary, </s> not counted; there are more words than the beam has places, so that it is full after
    the first step.

    probabilities_in_a_beam(5, 2, 3) == 24: 6 continuations of <s>, then 18.
    """
    # TODO 7.1: which sentence does a search find?
    raise NotImplementedError("Exercise 7.1: which sentence does a search find?")
