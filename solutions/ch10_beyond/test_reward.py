"""Graders of reward.py."""

import math

from solutions.checks import close, equal, task


@task("10.2")
def test_runs_by_hand(work):
    words = "the hen sees the hen".split()
    bigrams = {("the", "hen"): 2, ("hen", "sees"): 1, ("sees", "the"): 1}
    equal(dict(work.ngrams(words, 2)), bigrams, "pairs of 'the hen sees the hen': runs overlap")
    equal(dict(work.ngrams(words, 6)), {}, "runs of six in five words: none")
    equal(dict(work.ngrams([4, 4, 4], 1)), {(4,): 3}, "single ids: each key is a tuple, of one token too")


@task("10.2")
def test_bleu_by_hand(work):
    hypothesis, reference = "the hen the hen sees".split(), "the old hen the hen follows".split()
    label = "'the hen the hen sees' where 'the old hen the hen follows' is right"
    precisions = 4 / 5 * (2 + 1) / 5 * (1 + 1) / 4 * (0 + 1) / 3  # words, pairs, runs of three and of four
    expected = precisions**0.25 * math.exp(1 - 6 / 5)
    close(work.sentence_bleu(hypothesis, reference), expected, f"{label}: matches, smoothing, penalty")
