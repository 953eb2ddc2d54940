"""The reward of a sentence, quick enough for every sample: BLEU of a translation, ROUGE-L of a summary."""

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
        counts = ngrams(hypothesis, n)
        matches, total = (counts & ngrams(reference, n)).total(), counts.total()
        if n == 1 and not matches:
            return 0.0
        extra = int(n > 1)
        log_precisions.append(math.log((matches + extra) / (total + extra)))
    brevity = min(0.0, 1 - len(reference) / len(hypothesis))
    return math.exp(sum(log_precisions) / LONGEST + brevity)


def common_length(first: Tokens, second: Tokens) -> int:
    """The length of the longest common subsequence: words in the same order in both, others may stand between."""
    best = [0] * (len(second) + 1)  # best[j]: of the words of `one` so far and the first j of `other`
    for word in first:
        before = best
        best = [0]
        for j, match in enumerate(second, start=1):
            best.append(before[j - 1] + 1 if word == match else max(before[j], best[j - 1]))
    return best[-1]


def sentence_rouge(hypothesis: Tokens, reference: Tokens) -> float:
    """ROUGE-L from 0 to 1 (Lin 2004): F1 of precision and recall, the common length by that of either sentence."""
    common = common_length(hypothesis, reference)
    return 2 * common / (len(hypothesis) + len(reference)) if common else 0.0
