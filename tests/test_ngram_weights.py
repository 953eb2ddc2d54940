"""Chapter 1: weights by context. Classes, interpolation and tuned weights against plain dictionaries."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from common.chapters import chapter_module
from common.evaluation.perplexity import evaluate, sentence_log_probs
from common.text.vocab import Vocabulary
from tests.ngram_models import CHAPTER, FARM, UNSEEN, build, counts, smoothing, tuning
from tests.ngram_reference import START, count, followers

buckets = chapter_module(CHAPTER, "buckets")
KINDS = {"weights-by-count": buckets.by_count, "weights-by-mean-count": buckets.by_mean_count}
words = st.sampled_from(["a", "b", "c", "d"])
sentence_lists = st.lists(st.lists(words, min_size=1, max_size=6), min_size=1, max_size=10)
bounded = settings(max_examples=12, deadline=None, derandomize=True, database=None)


def class_by_hand(method: str, seen: dict[str, int]) -> int:
    """The class of a history with these words after it: by doublings of c(h), or half doublings of c(h) / T(h)."""
    total = sum(seen.values())
    if method == "weights-by-count":
        return total.bit_length() - 1
    squared = Fraction(total, len(seen)) ** 2
    return max(k for k in range(40) if squared >= 2**k)


class Slow:
    """P(word | history) by the recursion of Eq. 10; weights[n - 1][class] for n-grams of order n."""

    def __init__(self, sentences, order: int, vocab: Vocabulary, method: str, weights):
        self.order, self.vocab, self.method, self.weights = order, vocab, method, weights
        self.after = [followers(sentence) for sentence in count(sentences, order)]

    def prob(self, word: str, history: tuple[str, ...]) -> float:
        history = history[max(len(history) - self.order + 1, 0) :] if self.order > 1 else ()
        return self.of(word, history)

    def of(self, word: str, history: tuple[str, ...]) -> float:
        shorter = self.of(word, history[1:]) if history else 1 / len(self.vocab)
        seen = self.after[len(history) + 1].get(history, {})
        if not seen:
            return shorter
        alpha = self.weights[len(history)][class_by_hand(self.method, seen)]
        return (1 - alpha) * seen.get(word, 0) / sum(seen.values()) + alpha * shorter


def fast(sentences, order: int, method: str, weights):
    vocab = Vocabulary.from_sentences(sentences)
    levels = counts.count_ngrams([vocab.encode(sentence) for sentence in sentences], order, len(vocab))
    classes = buckets.classes_of(levels, KINDS[method])
    estimate = buckets.weights_by_class(weights, classes)
    return smoothing.interpolate(vocab, levels, smoothing.order_zero(len(vocab), False), estimate)


def test_ranges_by_hand() -> None:
    assert buckets.ranges(np.array([0, 1, 2, 3, 4, 7, 8, 15, 16]), 1).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4]
    assert buckets.ranges(np.array([1, 1.4, 1.5, 2, 2.8, 2.9, 4, 1e9]), 2).tolist() == [
        0,
        0,
        1,
        2,
        2,
        3,
        4,
        buckets.MOST,
    ]


def test_classes_by_hand() -> None:
    """*the* came 3 times before 2 words: 3 is in the range 2 to 3, and 3 / 2 past the root of 2."""
    text = [line.split() for line in ("the girl giggles .", "the son giggles .", "the girl feeds ponies .")]
    vocab = Vocabulary.from_sentences(text)
    levels = counts.count_ngrams([vocab.encode(item) for item in text], 2, len(vocab))
    the = vocab.ids["the"]
    by_count, by_mean = (buckets.classes_of(levels, kind) for kind in KINDS.values())
    assert by_count[0].tolist() == [4] and by_count[1][the] == 1, "16 predictions; 3"
    assert by_mean[1][the] == 1 and by_mean[1][vocab.ids["girl"]] == 0, "3 / 2; 2 / 2"


@pytest.mark.equation("neubig2017", 10)
@pytest.mark.parametrize("method", KINDS)
@bounded
@given(train=sentence_lists, order=st.integers(1, 4), seed=st.integers(0, 99))
def test_each_class_has_its_weight(method: str, train: list, order: int, seed: int) -> None:
    weights = np.random.default_rng(seed).uniform(0.05, 0.95, (order, 40))
    lm, vocab = fast(train, order, method, weights), Vocabulary.from_sentences(train)
    slow = Slow(train, order, vocab, method, weights)
    for sentence in [*train, list("abcd"), list("ddd")]:
        known_words = [word if word in vocab else "<unk>" for word in sentence]
        expected = [slow.prob(word, (START, *known_words[:place])) for place, word in enumerate([*known_words, "</s>"])]
        np.testing.assert_allclose(np.exp(sentence_log_probs(lm, [sentence])[0]), expected, rtol=1e-9)


@pytest.mark.parametrize("method", KINDS)
def test_tuned_weights_are_the_best_on_the_text_they_are_tuned_on(method: str) -> None:
    """Moving the weight of any class, either way, makes the text (and one prediction added each way) less likely.

    The text is judged by the recursion over dictionaries.
    """
    vocab, dev = Vocabulary.from_sentences(FARM), UNSEEN * 3
    levels = counts.count_ngrams([vocab.encode(item) for item in FARM], 3, len(vocab))
    classes = buckets.classes_of(levels, KINDS[method])
    encoded = [vocab.encode(item) for item in dev]
    actual = tuning.tune_weights_by_class(vocab, levels, smoothing.order_zero(len(vocab), False), encoded, classes)
    assert [len(item) for item in actual] == [item.max() + 1 for item in classes]

    def log_likelihood(weights) -> float:
        slow = Slow(FARM, 3, vocab, method, weights)
        total = sum(math.log(alpha) + math.log(1 - alpha) for item in weights for alpha in item)
        for sentence in dev:
            known_words = [word if word in vocab else "<unk>" for word in sentence]
            for place, word in enumerate([*known_words, "</s>"]):
                total += math.log(slow.prob(word, (START, *known_words[:place])))
        return total

    best, moved = log_likelihood(actual), 0
    for order, alphas in enumerate(actual):
        for kind in range(len(alphas)):
            for change in (-0.02, 0.02):
                tried = [item.copy() for item in actual]
                tried[order][kind] += change
                assert log_likelihood(tried) < best
                moved += 1
    assert moved > 12


def test_a_word_that_neither_model_gives_anything_moves_no_weight() -> None:
    actual = tuning.tune_weight(np.array([0.2, 0.0, 0.1]), np.array([0.1, 0.0, 0.3]))
    assert 0 < actual < 1
    assert tuning.tune_weight(np.array([0.2]), np.array([0.2])) == pytest.approx(0.5)
    assert tuning.tune_weight(np.array([0.0]), np.array([0.0])) == pytest.approx(0.5)


def test_a_class_that_dev_lacks_stays_in_the_middle() -> None:
    vocab = Vocabulary.from_sentences(FARM)
    levels = counts.count_ngrams([vocab.encode(sentence) for sentence in FARM], 2, len(vocab))
    classes = buckets.classes_of(levels, buckets.by_count)
    zero = smoothing.order_zero(len(vocab), False)
    actual = tuning.tune_weights_by_class(vocab, levels, zero, [vocab.encode(["dora"])], classes)
    assert 0.5 in actual[1] and set(actual[1]) != {0.5}


def test_with_one_class_the_weights_are_those_of_an_order() -> None:
    vocab = Vocabulary.from_sentences(FARM)
    levels = counts.count_ngrams([vocab.encode(sentence) for sentence in FARM], 3, len(vocab))
    zero, dev = smoothing.order_zero(len(vocab), False), [vocab.encode(sentence) for sentence in UNSEEN]
    weights = tuning.tune_weights(vocab, levels, zero, dev)
    one_class = [np.zeros(number, dtype=int) for number in tuning.numbers_of_histories(levels)]
    single = [np.array([alpha]) for alpha in weights]
    lm = smoothing.interpolate(vocab, levels, zero, buckets.weights_by_class(single, one_class))
    expected = smoothing.interpolate(vocab, levels, zero, smoothing.fixed_weights(weights))
    for actual, other in zip(lm.tables()[1], expected.tables()[1], strict=True):
        np.testing.assert_allclose(actual, other, rtol=1e-12)


def test_a_history_seen_often_is_trusted_more() -> None:
    """After *a*, often seen, the text goes on as before; after words seen once it never does."""
    train = [["a", "b"]] * 64 + [[chr(place), "x"] for place in range(200, 230)]
    dev = [["a", "b"]] * 20 + [[chr(place), "b"] for place in range(200, 230)]
    by_class, fixed = (build(method, train, 2, dev=dev) for method in ("weights-by-count", "fixed-weights"))
    assert evaluate(by_class, dev, "token").perplexity < 0.9 * evaluate(fixed, dev, "token").perplexity
    probs = [math.exp(sentence_log_probs(lm, [["a", "b"]])[0][1]) for lm in (by_class, fixed)]
    assert probs[0] > 0.9 > probs[1]
