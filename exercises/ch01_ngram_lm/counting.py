"""Exercises 1.2 and 1.3: counting n-grams, and the probability of a sentence from the counts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

Ngram = tuple[str, ...]

START, END = "<s>", "</s>"


def count_ngrams(sentences: Sequence[Sequence[str]], n: int) -> dict[Ngram, int]:
    """How often each n-gram occurs: all runs of n adjacent words in `<s> words </s>`.

    `<s>` is only read, never predicted, so it is not counted as a 1-gram; as the first word of a longer n-gram, it is.
    No n-gram crosses from one sentence into the next, and there is one `<s>` before each sentence, whatever n is.

    count_ngrams([["a", "b"]], 2) == {("<s>", "a"): 1, ("a", "b"): 1, ("b", "</s>"): 1}
    """
    # TODO 1.2: count n-grams with sentence boundaries
    raise NotImplementedError("Exercise 1.2: count n-grams with sentence boundaries")


def maximum_likelihood(counts: dict[Ngram, int], context: Ngram, word: str) -> float:
    """P(word | context) = c(context word) / c(context) (Neubig 2017, Eq. 8), and 0 after an unseen context.

    counts: those of n-grams, all of the same order n. context: n-1 words. c(context) is how often *anything* followed
    the context.

    maximum_likelihood({("a", "b"): 3, ("a", "c"): 1, ("b", "c"): 5}, ("a",), "b") == 0.75
    """
    # TODO 1.3: maximum likelihood, and the log-probability of a sentence
    raise NotImplementedError("Exercise 1.3: maximum likelihood, and the log-probability of a sentence")


def sentence_log_prob(bigrams: dict[Ngram, int], sentence: Sequence[str]) -> float:
    """log P(sentence) of a maximum-likelihood bigram model, in nats (Neubig 2017, Eq. 4 and 6); -inf for P = 0.

    The sum of log P(w_t | w_{t-1}) over the words and `</s>`; the word before the first is `<s>`.

    sentence_log_prob({("<s>", "a"): 1, ("a", "a"): 1, ("a", "</s>"): 1}, ["a", "a"]) == 2 * math.log(1 / 2)
    """
    # TODO 1.3: maximum likelihood, and the log-probability of a sentence
    raise NotImplementedError("Exercise 1.3: maximum likelihood, and the log-probability of a sentence")
