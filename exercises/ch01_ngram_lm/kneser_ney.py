"""Exercise 1.6, advanced: modified Kneser-Ney smoothing (Chen and Goodman 1999), the standard on real text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Ngram = tuple[str, ...]

START = "<s>"


def discounts(counts: Iterable[int]) -> tuple[float, float, float]:
    """What to subtract from the counts 1, 2, and 3 or more:

        Y = n_1 / (n_1 + 2 n_2)        D_r = r - (r + 1) Y n_{r+1} / n_r        for r = 1, 2, 3

    where n_r is the number of different n-grams that were seen exactly r times. counts: how often each n-gram was seen.
    You may assume that n_1 to n_4 are not 0.

    discounts([1] * 4 + [2] * 2 + [3] + [4]) == (0.5, 1.25, 1.0)
    """
    # TODO 1.6: modified Kneser-Ney smoothing (advanced)
    raise NotImplementedError("Exercise 1.6: modified Kneser-Ney smoothing (advanced)")


def continuation_counts(counts: Mapping[Ngram, int], longer: Mapping[Ngram, int]) -> dict[Ngram, int]:
    """In how many places each n-gram fits: how many *different* words came before it.

    counts: those of the n-grams of one order. longer: those of the next order. The result has all n-grams of `counts`,
    with 0 where none came before. Nothing precedes an n-gram that begins with <s>, so it keeps its count.

    continuation_counts({("b",): 9}, {("a", "b"): 7, ("c", "b"): 2}) == {("b",): 2}
    """
    # TODO 1.6: modified Kneser-Ney smoothing (advanced)
    raise NotImplementedError("Exercise 1.6: modified Kneser-Ney smoothing (advanced)")


def kneser_ney(
    counts: Sequence[Mapping[Ngram, int]],
    discount: Sequence[tuple[float, float, float]],
    context: Ngram,
    word: str,
    vocabulary_size: int,
) -> float:
    """P(word | context) with modified Kneser-Ney smoothing, from the longest n-gram down:

        P_n(w | h) = (c(h w) - D(c(h w))) / c(h) + back_off(h) P_{n-1}(w | h without its first word)
        back_off(h) = (sum over all words v seen after h of D(c(h v))) / c(h)
        P_0(w)     = 1 / vocabulary_size

    counts: counts[k] has the counts of order k + 1; all but those of the highest order are already continuation counts.
    c(h): the sum of c(h v) over all words v, in the same counts. discount: discount[k] are D_1, D_2, D_3 of that order;
    D(0) = 0, and D(c) = D_3 for c > 3. context: len(counts) - 1 words or fewer. After an unseen context, only the
    shorter n-gram is used.

    kneser_ney([{("a",): 1, ("b",): 3}], [(0.5, 1.0, 1.5)], (), "b", 10) == (3 - 1.5) / 4 + (0.5 + 1.5) / 4 * 0.1
    """
    # TODO 1.6: modified Kneser-Ney smoothing (advanced)
    raise NotImplementedError("Exercise 1.6: modified Kneser-Ney smoothing (advanced)")
