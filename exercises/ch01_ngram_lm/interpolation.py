"""Exercise 1.4: interpolation with shorter n-grams, since an unseen n-gram is not impossible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Ngram = tuple[str, ...]


def interpolated(
    counts: Sequence[Mapping[Ngram, int]], alphas: Sequence[float], context: Ngram, word: str, vocabulary_size: int
) -> float:
    """P(word | context) by linear interpolation (Neubig 2017, Eq. 9 and 10), from the longest n-gram down:

        P_n(w | h) = (1 - alpha_n) c(h w) / c(h) + alpha_n P_{n-1}(w | h without its first word)
        P_0(w)     = 1 / vocabulary_size

    counts: counts[k] has the counts of the n-grams of order k + 1; c(h) is their sum over all words after h. alphas:
    alphas[k] belongs to counts[k]. context (the lesson's history): len(counts) - 1 words, or fewer at the beginning of
    a sentence, where the order of the model is lower. After an unseen context (c(h) = 0), only the shorter n-gram is
    used, as if alpha_n were 1.

    interpolated([{("a",): 3, ("b",): 1}], [0.5], (), "b", 10) == 0.5 * 0.25 + 0.5 * 0.1
    """
    # TODO 1.4: interpolate with shorter n-grams
    raise NotImplementedError("Exercise 1.4: interpolate with shorter n-grams")
