"""Exercise 1.1, a warm-up with pencil and paper. The training text of its first four questions is

    the hen sees the goat .
    the goat follows mira .

Every sentence is preceded by <s> and followed by </s>, which is predicted like a word. The model is a bigram model
estimated by maximum likelihood: P(w | h) = c(h w) / c(h).
"""

from __future__ import annotations


def predictions() -> int:
    """How many predictions does the model make on the training text? (A text of one sentence, `mira .`, has 3.)"""
    # BEGIN SOLUTION 1.1
    return 6 + 1 + 5 + 1
    # END SOLUTION


def probability_of_goat() -> float:
    """P(goat | the). (P(mira | follows), for comparison, is 1.)"""
    # BEGIN SOLUTION 1.1
    return 2 / 3
    # END SOLUTION


def probability_of_a_patchwork() -> float:
    """P(the hen sees the goat follows mira .), a sentence assembled from pieces of the two above.

    It is the product of nine factors, eight words and </s>; the first is P(the | <s>) and the last P(</s> | .).
    """
    # BEGIN SOLUTION 1.1
    return 1 * (1 / 3) * 1 * (2 / 3) * (1 / 2)
    # END SOLUTION


def probability_of_a_new_pair() -> float:
    """P(mira sees the goat .). The bigram `mira sees` does not occur in the training text."""
    # BEGIN SOLUTION 1.1
    return 0.0
    # END SOLUTION


def how_many_sentences(vocabulary_size: int, words: int) -> int:
    """How many different sentences of `words` words are there? (The question of the tutorial's footnote 4.)

    how_many_sentences(3, 2) == 9
    """
    # BEGIN SOLUTION 1.1
    return vocabulary_size**words
    # END SOLUTION


def how_many_parameters(vocabulary_size: int, n: int) -> int:
    """How many numbers P(w | n-1 words before it) does an n-gram model have? (The tutorial's footnote 5.)

    It has one for each word after each context. Count neither <s> nor </s>, as a word or in a context.

    how_many_parameters(5, 2) == 25
    """
    # BEGIN SOLUTION 1.1
    return vocabulary_size**n
    # END SOLUTION
