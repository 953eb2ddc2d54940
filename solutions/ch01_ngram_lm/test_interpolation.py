"""Graders of interpolation.py."""

import numpy as np

from common.text.batching import make_batch
from common.text.vocab import Vocabulary
from solutions.checks import close, task

MUTANTS = [
    ("1.4", "(1 - alpha) * level", "alpha * level"),
    ("1.4", "+ alpha * probability", "+ (1 - alpha) * probability"),
    ("1.4", "context[len(context) - order + 1 :]", "context[: order - 1]"),
    ("1.4", "probability = 1 / vocabulary_size", "probability = 0.0"),
    ("1.4", "if followed:", "if level.get((*history, word), 0):"),
    ("1.4", "alphas[order - 1]", "alphas[-order]"),
    ("1.4", "range(1, len(context) + 2)", "range(1, len(context) + 1)"),
]

COUNTS = [
    {("a",): 5, ("b",): 3, ("c",): 2},
    {("a", "b"): 3, ("a", "c"): 1, ("b", "a"): 4, ("c", "b"): 2},
    {("b", "a", "c"): 2, ("b", "a", "b"): 3, ("c", "b", "a"): 1},
]
ALPHAS = [0.1, 0.25, 0.6]


@task("1.4")
def test_one_order_by_hand(work):
    close(work.interpolated(COUNTS[:1], [0.2], (), "b", 50), 0.8 * 0.3 + 0.2 / 50, "P(b) of 1-grams with 1/V")


@task("1.4")
def test_three_orders_by_hand(work):
    unigram = 0.9 * 0.2 + 0.1 / 20
    bigram = 0.75 * (1 / 4) + 0.25 * unigram
    expected = 0.4 * (2 / 5) + 0.6 * bigram
    close(
        work.interpolated(COUNTS, ALPHAS, ("b", "a"), "c", 20), expected, "P(c | b a) of 3-grams, 2-grams, 1-grams, 1/V"
    )


@task("1.4")
def test_an_ngram_never_seen_after_a_context_that_was(work):
    expected = 0.6 * (0.25 * (0.9 * 0.5 + 0.1 / 20))
    close(
        work.interpolated(COUNTS, ALPHAS, ("b", "a"), "a", 20), expected, "P(a | b a): `b a` was seen, `b a a` was not"
    )


@task("1.4")
def test_a_context_never_seen(work):
    expected = 0.75 * (4 / 4) + 0.25 * (0.9 * 0.5 + 0.1 / 20)
    found = work.interpolated(COUNTS, ALPHAS, ("a", "b"), "a", 20)
    close(found, expected, "P(a | a b): nothing ever followed `a b`, so the bigram answers alone")


@task("1.4")
def test_a_word_never_seen_at_all(work):
    expected = 0.6 * 0.25 * 0.1 / 20
    close(
        work.interpolated(COUNTS, ALPHAS, ("b", "a"), "x", 20),
        expected,
        "P(x | b a): only 1/V is left, times each alpha",
    )


@task("1.4")
def test_it_is_a_distribution(work):
    words = ["a", "b", "c", *(f"unseen{i}" for i in range(17))]
    for context in [(), ("a",), ("b", "a"), ("a", "b"), ("x", "y")]:
        found = sum(work.interpolated(COUNTS, ALPHAS, context, word, 20) for word in words)
        close(found, 1.0, f"the sum of P(w | {' '.join(context)}) over a vocabulary of 20 words")


@task("1.4")
def test_the_chapter_agrees(work):
    from chapters.ngram_lm import counts as chapter_counts, smoothing

    text = [line.split() for line in ("the hen sees the goat .", "the goat follows mira .", "mira sees the hen .")]
    vocab = Vocabulary.from_sentences(text)
    levels = chapter_counts.count_ngrams([vocab.encode(one) for one in text], 3, len(vocab))
    zero = np.full(len(vocab), 1 / len(vocab))
    model = smoothing.interpolate(vocab, levels, zero, smoothing.fixed_weights(ALPHAS))
    sentence = "mira follows the hen sees .".split()
    expected = model.log_probs(make_batch([vocab.encode(sentence)], [0]))[:, 0]
    counts = [ngrams_of(text, order) for order in (1, 2, 3)]
    words = ["<s>", *sentence, "</s>"]
    for place, log_prob in enumerate(expected, start=1):
        found = work.interpolated(counts, ALPHAS, tuple(words[max(0, place - 2) : place]), words[place], len(vocab))
        close(found, float(np.exp(log_prob)), f"P({words[place]}) in `{' '.join(sentence)}`, as chapter 1 has it")


def ngrams_of(text, order):
    """Counts as exercise 1.2 makes them."""
    counts = {}
    for sentence in text:
        words = ["<s>", *sentence, "</s>"]
        for start in range(order == 1, len(words) - order + 1):
            ngram = tuple(words[start : start + order])
            counts[ngram] = counts.get(ngram, 0) + 1
    return counts
