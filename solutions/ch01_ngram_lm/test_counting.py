"""Graders of counting.py."""

import math

from common.text.vocab import Vocabulary
from solutions.checks import check, close, equal, task

MUTANTS = [
    ("1.2", "[START, *sentence, END]", "[START, *sentence]"),
    ("1.2", "[START, *sentence, END]", "[START] * (n - 1) + [*sentence, END]"),
    ("1.2", "first = 1 if n == 1 else 0", "first = 0"),
    ("1.2", "len(words) - n + 1)", "len(words) - n)"),
    ("1.2", "for sentence in sentences:", "for sentence in [[word for one in sentences for word in one]]:"),
    ("1.3", "ngram[:-1] == context", "ngram[0] == context[0]"),
    ("1.3", "/ followed if followed else 0.0", "/ followed"),
    ("1.3", "sum(count for ngram,", "sum(1 for ngram,"),
    ("1.3", "[*sentence, END]:", "sentence:"),
    ("1.3", "        before = word\n", ""),
    ("1.3", "math.log(probability)", "math.log2(probability)"),
    ("1.3", "return -math.inf", "continue"),
]

TEXT = [
    ["the", "hen", "sees", "the", "goat", "."],
    ["the", "goat", "follows", "mira", "."],
    ["mira", "sees", "the", "goat", "."],
]


@task("1.2")
def test_bigrams_by_hand(work):
    expected = {("<s>", "a"): 2, ("a", "a"): 1, ("a", "b"): 1, ("b", "</s>"): 1, ("a", "</s>"): 1}
    equal(work.count_ngrams([["a", "a", "b"], ["a"]], 2), expected, "the bigrams of the sentences `a a b` and `a`")


@task("1.2")
def test_unigrams_by_hand(work):
    expected = {("a",): 3, ("b",): 1, ("</s>",): 2}
    equal(
        work.count_ngrams([["a", "a", "b"], ["a"]], 1), expected, "the 1-grams of `a a b` and `a`: what is predicted?"
    )


@task("1.2")
def test_trigrams_and_a_sentence_that_is_too_short(work):
    expected = {("<s>", "a", "b"): 1, ("a", "b", "</s>"): 1, ("<s>", "a", "</s>"): 1}
    equal(work.count_ngrams([["a", "b"], ["a"], []], 3), expected, "the trigrams of `a b`, `a` and an empty sentence")


@task("1.2")
def test_the_chapter_counts_the_same(work):
    from chapters.ngram_lm import counts

    vocab = Vocabulary.from_sentences(TEXT)
    levels = counts.count_ngrams([vocab.encode(sentence) for sentence in TEXT], 3, len(vocab))
    for order, level in enumerate(levels, start=1):
        found = work.count_ngrams(TEXT, order)
        seen = sorted(int(count) for count in level.counts if count)
        equal(
            sorted(found.values()), seen, f"how often the {order}-grams of three sentences were seen, in rising order"
        )


@task("1.3")
def test_maximum_likelihood_by_hand(work):
    trigrams = {("a", "b", "c"): 3, ("a", "b", "d"): 2, ("a", "c", "d"): 7, ("b", "b", "c"): 4}
    close(work.maximum_likelihood(trigrams, ("a", "b"), "c"), 0.6, "P(c | a b): only n-grams with this context count")
    close(work.maximum_likelihood(trigrams, ("a", "b"), "x"), 0.0, "P of a word that never followed the context")
    close(work.maximum_likelihood({("a",): 3, ("b",): 1}, (), "b"), 0.25, "P(b) with the empty context, n = 1")


@task("1.3")
def test_a_context_never_seen(work):
    close(work.maximum_likelihood({("a", "b"): 3}, ("x",), "b"), 0.0, "P after a context that was never seen")


@task("1.3")
def test_what_follows_a_context_is_a_distribution(work):
    bigrams = {("a", "b"): 3, ("a", "c"): 1, ("a", "</s>"): 1, ("b", "c"): 2}
    found = sum(work.maximum_likelihood(bigrams, ("a",), word) for word in ("a", "b", "c", "</s>"))
    close(found, 1.0, "the sum of P(w | a) over all words w and </s>")


BIGRAMS = {("<s>", "a"): 1, ("<s>", "b"): 3, ("a", "b"): 1, ("a", "</s>"): 1, ("b", "a"): 2, ("b", "</s>"): 2}


@task("1.3")
def test_a_sentence_by_hand(work):
    expected = math.log(3 / 4) + math.log(2 / 4) + math.log(1 / 2)
    close(work.sentence_log_prob(BIGRAMS, ["b", "a"]), expected, "log P(b a) in nats, its end included")


@task("1.3")
def test_a_piece_never_seen_makes_a_sentence_impossible(work):
    found = work.sentence_log_prob(BIGRAMS, ["a", "a", "b"])
    check(found == -math.inf, "`a a` was never seen, so P(a a b) = 0 and its logarithm is minus infinity")


@task("1.3")
def test_patched_together(work):
    bigrams = {}
    for sentence in TEXT[:2]:
        words = ["<s>", *sentence, "</s>"]
        for pair in zip(words, words[1:], strict=False):
            bigrams[pair] = bigrams.get(pair, 0) + 1
    sentence = "the hen sees the goat follows mira .".split()
    message = "the log-probability of a sentence patched together from pieces of two others"
    close(work.sentence_log_prob(bigrams, sentence), math.log(1 / 9), message)
