"""Graders of counting.py."""

import math

from solutions.checks import check, close, equal, task

BIGRAMS = {("<s>", "a"): 1, ("<s>", "b"): 3, ("a", "b"): 1, ("a", "</s>"): 1, ("b", "a"): 2, ("b", "</s>"): 2}


@task("1.2")
def test_ngrams_by_hand(work):
    expected = {("<s>", "a"): 2, ("a", "a"): 1, ("a", "b"): 1, ("b", "</s>"): 1, ("a", "</s>"): 1}
    equal(work.count_ngrams([["a", "a", "b"], ["a"]], 2), expected, "the bigrams of the sentences `a a b` and `a`")
    counts = work.count_ngrams([["a", "a", "b"], ["a"]], 1)
    equal(counts, {("a",): 3, ("b",): 1, ("</s>",): 2}, "the 1-grams of `a a b` and `a`: what is predicted?")
    expected = {("<s>", "a", "b"): 1, ("a", "b", "</s>"): 1, ("<s>", "a", "</s>"): 1}
    equal(work.count_ngrams([["a", "b"], ["a"], []], 3), expected, "the trigrams of `a b`, `a` and an empty sentence")


@task("1.3")
def test_maximum_likelihood_by_hand(work):
    trigrams = {("a", "b", "c"): 3, ("a", "b", "d"): 2, ("a", "c", "d"): 7, ("b", "b", "c"): 4}
    close(work.maximum_likelihood(trigrams, ("a", "b"), "c"), 0.6, "P(c | a b): only n-grams with this context count")
    close(work.maximum_likelihood(trigrams, ("a", "b"), "x"), 0.0, "P of a word that never followed the context")
    close(work.maximum_likelihood(trigrams, ("x", "a"), "b"), 0.0, "P after a context that was never seen")


@task("1.3")
def test_a_sentence_by_hand(work):
    expected = math.log(3 / 4) + math.log(2 / 4) + math.log(1 / 2)
    close(work.sentence_log_prob(BIGRAMS, ["b", "a"]), expected, "log P(b a) in nats, its end included")
    log_prob = work.sentence_log_prob(BIGRAMS, ["a", "a", "b"])
    check(log_prob == -math.inf, "`a a` was never seen, so P(a a b) = 0 and its logarithm is minus infinity")
