"""ROUGE-L of one sentence: the reward of a summary."""

from __future__ import annotations

from .sentence_bleu import Tokens


def common_length(one: Tokens, other: Tokens) -> int:
    """The length of the longest common subsequence: words in the same order in both, others may stand between."""
    best = [0] * (len(other) + 1)  # best[j]: of the words of `one` so far and the first j of `other`
    for word in one:
        before = best
        best = [0]
        for j, match in enumerate(other, start=1):
            best.append(before[j - 1] + 1 if word == match else max(before[j], best[j - 1]))
    return best[-1]


def sentence_rouge(hypothesis: Tokens, reference: Tokens) -> float:
    """ROUGE-L from 0 to 1 (Lin 2004): F1 of precision and recall, the common length by that of either sentence."""
    common = common_length(hypothesis, reference)
    return 2 * common / (len(hypothesis) + len(reference)) if common else 0.0
