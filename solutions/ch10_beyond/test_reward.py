"""Graders of reward.py."""

import math

import numpy as np

from solutions.checks import close, equal, task

MUTANTS = [
    ("10.2", "range(len(tokens) - n + 1)", "range(len(tokens) - n)"),
    ("10.2", "range(len(tokens) - n + 1)", "range(len(tokens))"),
    ("10.2", "range(len(tokens) - n + 1)", "range(0, len(tokens) - n + 1, n)"),
    ("10.2", "return Counter(", "return dict.fromkeys("),
    ("10.2", "tuple(tokens[start : start + n])", "frozenset(tokens[start : start + n])"),
    ("10.2", "for n in (1, 2, 3, 4):", "for n in (1, 2, 3):"),
    ("10.2", "for n in (1, 2, 3, 4):", "for n in (4,):"),
    ("10.2", "min(count, there.get(ngram, 0))", "count * (ngram in there)"),
    ("10.2", "min(count, there.get(ngram, 0))", "there.get(ngram, 0)"),
    ("10.2", "min(count, there.get(ngram, 0))", "(ngram in there)"),
    ("10.2", "extra = 1 if n > 1 else 0", "extra = 1"),
    ("10.2", "extra = 1 if n > 1 else 0", "extra = 0"),
    ("10.2", "(sum(found.values()) + extra)", "(max(sum(found.values()), 1))"),
    ("10.2", "(sum(found.values()) + extra)", "(sum(there.values()) + extra or 1)"),
    ("10.2", "(sum(found.values()) + extra)", "(len(found) + extra)"),
    ("10.2", "        if n == 1 and matches == 0:\n            return 0.0\n", ""),
    ("10.2", "min(0.0, 1 - len(reference) / len(hypothesis))", "1 - len(reference) / len(hypothesis)"),
    ("10.2", "min(0.0, 1 - len(reference) / len(hypothesis))", "min(0.0, 1 - len(hypothesis) / len(reference))"),
    ("10.2", "min(0.0, 1 - len(reference) / len(hypothesis))", "0.0"),
    ("10.2", "math.prod(precisions) ** 0.25", "math.prod(precisions)"),
    ("10.2", "math.prod(precisions) ** 0.25", "sum(precisions) / 4"),
    ("10.2", "math.exp(brevity) * math.prod", "math.prod"),
    ("10.2", "return math.exp(brevity)", "return 100 * math.exp(brevity)"),
]


@task("10.2")
def test_runs_by_hand(work):
    words = "the hen sees the hen".split()
    bigrams = {("the", "hen"): 2, ("hen", "sees"): 1, ("sees", "the"): 1}
    equal(dict(work.ngrams(words, 2)), bigrams, "pairs of 'the hen sees the hen': runs overlap")
    equal(dict(work.ngrams(words, 5)), {tuple(words): 1}, "runs of five in five words: one, all of it")
    equal(dict(work.ngrams(words, 6)), {}, "runs of six in five words: none")
    equal(dict(work.ngrams([4, 4, 4], 1)), {(4,): 3}, "single ids: each key is a tuple, of one token too")


@task("10.2")
def test_bleu_by_hand(work):
    """the hen the hen sees: 4 of 5 words, 2 of 4 pairs, one of 3 triples, none of 2 runs of four."""
    hypothesis, reference = "the hen the hen sees".split(), "the old hen the hen follows".split()
    told = "'the hen the hen sees' where 'the old hen the hen follows' is right"
    precisions = 4 / 5 * (2 + 1) / 5 * (1 + 1) / 4 * (0 + 1) / 3
    expected = precisions**0.25 * math.exp(1 - 6 / 5)
    close(work.sentence_bleu(hypothesis, reference), expected, f"{told}: matches, smoothing, penalty")


@task("10.2")
def test_the_best_and_the_worst(work):
    for words in (list("abcdef"), ["a"], ["a", "a"]):
        close(work.sentence_bleu(words, words), 1, f"{words} where it is right itself")
    close(work.sentence_bleu(["c", "d"], ["a", "b"]), 0, "no word matches")
    close(work.sentence_bleu([], ["a", "b"]), 0, "an empty hypothesis")


@task("10.2")
def test_a_word_counts_at_most_so_often_as_it_is_there(work):
    words, right = ["the"] * 4, ["the", "hen", "sees", "it"]
    expected = (1 / 4 * 1 / 4 * 1 / 3 * 1 / 2) ** 0.25
    close(work.sentence_bleu(words, right), expected, "'the the the the': one match, not four")


@task("10.2")
def test_short_is_punished_and_long_is_not(work):
    close(work.sentence_bleu(["a", "b"], ["a", "b", "c", "d"]), math.exp(-1), "2 words of 4, all of them right")
    expected = (2 / 4 * 2 / 4 * 1 / 3 * 1 / 2) ** 0.25
    message = "4 words where 2 are right: there is no penalty beside the precisions"
    close(work.sentence_bleu(["a", "b", "c", "d"], ["a", "b"]), expected, message)


@task("10.2")
def test_the_chapter_agrees(work):
    from chapters.beyond.sentence_bleu import sentence_bleu as course

    rng = np.random.default_rng(5)
    for _ in range(200):
        one, other = (rng.integers(1, 5, rng.integers(0, 9)).tolist() for _ in range(2))
        close(work.sentence_bleu(one, other), course(one, other), f"BLEU of {one} where {other} is right")
