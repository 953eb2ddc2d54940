"""BLEU of one sentence: the reward of a translation, quick enough to be computed for every sample."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence

LONGEST = 4
Tokens = Sequence[Hashable]


def ngrams(tokens: Tokens, n: int) -> Counter:
    """How often each run of n tokens occurs."""
    return Counter(tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1))


def sentence_bleu(hypothesis: Tokens, reference: Tokens) -> float:
    """BLEU from 0 to 1 of a hypothesis (Papineni et al. 2002), smoothed so that one sentence is enough.

    From pairs of words on, 1 is added to the matches and to the n-grams (Lin and Och 2004): else one missing 4-gram
    would make all of it 0. Without a single word in common it is 0.
    """
    log_precisions = []
    for n in range(1, LONGEST + 1):
        found = ngrams(hypothesis, n)
        matches, total = (found & ngrams(reference, n)).total(), found.total()
        if n == 1 and not matches:
            return 0.0
        extra = int(n > 1)
        log_precisions.append(math.log((matches + extra) / (total + extra)))
    brevity = min(0.0, 1 - len(reference) / len(hypothesis))
    return math.exp(sum(log_precisions) / LONGEST + brevity)
