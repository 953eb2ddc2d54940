"""Exercise 10.2: BLEU of one sentence, which measures how good a single translation is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence

Tokens = Sequence[Hashable]


def ngrams(tokens: Tokens, n: int) -> dict[tuple, int]:
    """How often each run of n tokens occurs. Useful: collections.Counter.

    ngrams(["a", "b", "a", "b"], 2) == {("a", "b"): 2, ("b", "a"): 1}
    """
    # TODO 10.2: BLEU of one sentence
    raise NotImplementedError("Exercise 10.2: BLEU of one sentence")


def sentence_bleu(hypothesis: Tokens, reference: Tokens) -> float:
    """BLEU of one translation, from 0 to 1 (Papineni et al. 2002), smoothed (Lin and Och 2004):

        BLEU = exp(min(0, 1 - r / c)) (p_1 p_2 p_3 p_4)^(1/4)
        p_1 = m_1 / l_1,   p_n = (m_n + 1) / (l_n + 1) for n > 1

    c and r are the lengths of hypothesis and reference. l_n is the number of n-grams of the hypothesis, and m_n the
    number of those that occur in the reference too, each counted at most as often as it occurs there. If no token
    matches, and so also for an empty hypothesis, BLEU is 0.

    sentence_bleu(["a"], ["a", "b"]) == exp(-1)
    """
    # TODO 10.2: BLEU of one sentence
    raise NotImplementedError("Exercise 10.2: BLEU of one sentence")
