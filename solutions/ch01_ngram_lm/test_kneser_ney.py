"""Graders of kneser_ney.py."""

import numpy as np

from common.text.batching import make_batch
from common.text.vocab import Vocabulary
from solutions.checks import close, equal, task

MUTANTS = [
    ("1.6", "n[1] + 2 * n[2])", "n[1] + n[2])"),
    ("1.6", "(r + 1) * share", "r * share"),
    ("1.6", "sum(other[1:] == ngram for", "sum(longer[other] * (other[1:] == ngram) for"),
    ("1.6", "count if ngram[0] == START else ", ""),
    ("1.6", "other[1:] == ngram for", "other[:-1] == ngram for"),
    ("1.6", "back_off = sum(D[min(count, 3)] for count in after.values())", "back_off = D[1] * len(after)"),
    ("1.6", "D[min(after.get(word, 0), 3)]", "D[min(after.get(word, 0), 2)]"),
    ("1.6", "(0.0, *discount[order - 1])", "(discount[order - 1][0], *discount[order - 1])"),
    ("1.6", "discount[order - 1]", "discount[-1]"),
]

TEXT = [line.split() for line in ("the hen sees the goat .", "the goat follows mira .", "mira sees the hen .")]


@task("1.6")
def test_discounts_by_hand(work):
    share = 6 / (6 + 2 * 3)
    expected = [1 - 2 * share * 3 / 6, 2 - 3 * share * 2 / 3, 3 - 4 * share * 1 / 2]
    close(
        work.discounts([1] * 6 + [2] * 3 + [3] * 2 + [4, 7, 9]), expected, "D_1, D_2, D_3 with n_1 to n_4 = 6, 3, 2, 1"
    )


@task("1.6")
def test_continuations_by_hand(work):
    counts = {("a",): 7, ("b",): 9, ("c",): 1}
    longer = {("<s>", "a"): 5, ("b", "a"): 2, ("a", "b"): 9, ("b", "c"): 1, ("b", "</s>"): 4}
    expected = {("a",): 2, ("b",): 1, ("c",): 1}
    equal(work.continuation_counts(counts, longer), expected, "how many different words came before a, b and c")


@task("1.6")
def test_the_beginning_of_a_sentence_keeps_its_counts(work):
    counts = {("<s>", "a"): 5, ("b", "a"): 3}
    longer = {("<s>", "a", "b"): 5, ("<s>", "b", "a"): 2, ("c", "b", "a"): 1}
    expected = {("<s>", "a"): 5, ("b", "a"): 2}
    equal(work.continuation_counts(counts, longer), expected, "nothing comes before <s>, so `<s> a` keeps its count")


COUNTS = [{("a",): 5, ("b",): 3, ("c",): 1}, {("a", "b"): 4, ("a", "c"): 1, ("a", "a"): 2, ("b", "a"): 1}]
DISCOUNT = [(0.3, 0.8, 1.1), (0.6, 0.9, 1.4)]


@task("1.6")
def test_two_orders_by_hand(work):
    unigram = (3 - 1.1) / 9 + (1.1 + 1.1 + 0.3) / 9 / 20
    expected = (4 - 1.4) / 7 + (1.4 + 0.6 + 0.9) / 7 * unigram
    close(work.kneser_ney(COUNTS, DISCOUNT, ("a",), "b", 20), expected, "P(b | a) of bigrams and unigrams and 1/V")


@task("1.6")
def test_one_order_by_hand(work):
    expected = (5 - 1.1) / 9 + (1.1 + 1.1 + 0.3) / 9 / 20
    close(work.kneser_ney(COUNTS[:1], DISCOUNT[:1], (), "a", 20), expected, "P(a) of unigrams and 1/V alone")


@task("1.6")
def test_three_orders_by_hand(work):
    trigrams, discount = {("b", "a", "a"): 3, ("b", "a", "c"): 1, ("a", "a", "b"): 2}, (0.2, 0.5, 1.3)
    expected = (3 - 1.3) / 4 + (1.3 + 0.2) / 4 * work.kneser_ney(COUNTS, DISCOUNT, ("a",), "a", 20)
    found = work.kneser_ney([*COUNTS, trigrams], [*DISCOUNT, discount], ("b", "a"), "a", 20)
    close(found, expected, "P(a | b a) of trigrams, and your own P(a | a) of bigrams and unigrams below them")


@task("1.6")
def test_words_and_contexts_never_seen(work):
    back_off = (1.1 + 1.1 + 0.3) / 9
    close(
        work.kneser_ney(COUNTS, DISCOUNT, ("a",), "x", 20), 2.9 / 7 * back_off / 20, "P(x | a), where x was never seen"
    )
    expected = (5 - 1.1) / 9 + back_off / 20
    close(work.kneser_ney(COUNTS, DISCOUNT, ("c",), "a", 20), expected, "P(a | c): nothing ever followed c")


@task("1.6")
def test_it_is_a_distribution(work):
    words = ["a", "b", "c", *(f"unseen{i}" for i in range(17))]
    for context in [(), ("a",), ("b",), ("c",)]:
        found = sum(work.kneser_ney(COUNTS, DISCOUNT, context, word, 20) for word in words)
        close(found, 1.0, f"the sum of P(w | {' '.join(context)}) over a vocabulary of 20 words")


@task("1.6")
def test_the_chapter_agrees(work):
    from chapters.ngram_lm import counts as counts_module, smoothing

    vocab = Vocabulary.from_sentences(TEXT)
    levels = counts_module.count_ngrams([vocab.encode(one) for one in TEXT], 2, len(vocab))
    changed = smoothing.continuation_counts(levels)
    zero = np.full(len(vocab), 1 / len(vocab))
    model = smoothing.interpolate(vocab, changed, zero, smoothing.absolute(3))
    D = [smoothing.estimate_discounts(level.counts, 3) for level in changed]
    bigrams, unigrams = ngrams_of(TEXT, 2), ngrams_of(TEXT, 1)
    counts = [work.continuation_counts(unigrams, bigrams), bigrams]
    sentence = "mira follows the hen sees .".split()
    expected = model.log_probs(make_batch([vocab.encode(sentence)], [0]))[:, 0]
    words = ["<s>", *sentence, "</s>"]
    for place, log_prob in enumerate(expected, start=1):
        found = work.kneser_ney(counts, D, (words[place - 1],), words[place], len(vocab))
        close(found, float(np.exp(log_prob)), f"P({words[place]} | {words[place - 1]}), as chapter 1 has it")


def ngrams_of(text, order):
    """Counts as exercise 1.2 makes them."""
    counts = {}
    for sentence in text:
        words = ["<s>", *sentence, "</s>"]
        for start in range(order == 1, len(words) - order + 1):
            ngram = tuple(words[start : start + order])
            counts[ngram] = counts.get(ngram, 0) + 1
    return counts
