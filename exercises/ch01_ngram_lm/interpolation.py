"""Exercise 1.4: what was never seen is not impossible. Interpolation with shorter n-grams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Ngram = tuple[str, ...]


def interpolated(
    counts: Sequence[Mapping[Ngram, int]], alphas: Sequence[float], context: Ngram, word: str, vocabulary_size: int
) -> float:
    """P(word | context) of linear interpolation (Neubig 2017, Eq. 9 and 10), from the longest n-gram down:

        P_n(w | h) = (1 - alpha_n) c(h w) / c(h) + alpha_n P_{n-1}(w | h without its first word)
        P_0(w)     = 1 / vocabulary_size

    counts: counts[k] of the n-grams of order k + 1. alphas: alphas[k] belongs to counts[k]. context: len(counts) - 1
    words, or fewer at the beginning of a sentence, which is then a model of a lower order. After a context never seen
    (c(h) = 0) the shorter n-gram answers alone, as if alpha_n were 1.

    interpolated([{("a",): 3, ("b",): 1}], [0.5], (), "b", 10) == 0.5 * 0.25 + 0.5 * 0.1
    """
    # TODO 1.4: interpolate with shorter n-grams
    raise NotImplementedError("Exercise 1.4: interpolate with shorter n-grams")
