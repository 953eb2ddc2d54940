"""Exercise 1.1, a warm-up with pencil and paper. The training text of its first four questions is

    the hen sees the goat .
    the goat follows mira .

Every sentence is read with <s> before it and ends in </s>, which is predicted like a word. The model is the maximum
likelihood of bigrams: P(w | h) = c(h w) / c(h).
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
    """P(the hen sees the goat follows mira .), a sentence patched together from pieces of the two above.

    It is the product of nine factors, eight words and </s>; the first is P(the | <s>) and the last P(</s> | .).
    """
    # BEGIN SOLUTION 1.1
    return 1 * (1 / 3) * 1 * (2 / 3) * (1 / 2)
    # END SOLUTION


def probability_of_a_new_pair() -> float:
    """P(mira sees the goat .), where nobody has seen `mira sees`."""
    # BEGIN SOLUTION 1.1
    return 0.0
    # END SOLUTION


def how_many_sentences(vocabulary_size: int, words: int) -> int:
    """How many different sentences have so many words? (The tutorial's question, in its footnote 4.)

    how_many_sentences(3, 2) == 9
    """
    # BEGIN SOLUTION 1.1
    return vocabulary_size**words
    # END SOLUTION


def how_many_parameters(vocabulary_size: int, n: int) -> int:
    """How many numbers P(w | n-1 words before it) has an n-gram model? (The tutorial's question, in its footnote 5.)

    A number for each word after each context. Words are those of the vocabulary; leave <s> and </s> aside.

    how_many_parameters(5, 2) == 25
    """
    # BEGIN SOLUTION 1.1
    return vocabulary_size**n
    # END SOLUTION
