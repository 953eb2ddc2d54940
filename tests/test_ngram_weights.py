"""Chapter 1: weights by context. Classes, interpolation and tuned weights against plain dictionaries."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from common.chapters import chapter_module
from common.evaluation.perplexity import sentence_log_probs
from common.text.vocab import Vocabulary
from tests.ngram_models import CHAPTER, FARM, UNSEEN, bounded, sentence_lists, sets_of_counts, smoothing, tuning
from tests.ngram_reference import Reference

buckets = chapter_module(CHAPTER, "buckets")
KINDS = {"weights-by-count": buckets.by_count, "weights-by-mean-count": buckets.by_mean_count}


def class_by_hand(method: str, seen: dict[str, int]) -> int:
    """The class of a history with these words after it: by doublings of c(h), or half doublings of c(h) / T(h)."""
    total = sum(seen.values())
    if method == "weights-by-count":
        return total.bit_length() - 1
    squared = Fraction(total, len(seen)) ** 2
    return max(k for k in range(40) if squared >= 2**k)


class Slow(Reference):
    """P(word | history) by the recursion of Eq. 10; weights[n - 1][class] for n-grams of order n."""

    def of(self, word: str, history: tuple[str, ...]) -> float:
        shorter = self.of(word, history[1:]) if history else self.zero[word]
        seen = self.after[len(history) + 1].get(history, {})
        if not seen:
            return shorter
        alpha = self.weights[len(history)][class_by_hand(self.method, seen)]
        return (1 - alpha) * seen.get(word, 0) / sum(seen.values()) + alpha * shorter


def slow_probs(sentences, order: int, vocab: Vocabulary, method: str, weights, texts) -> list[np.ndarray]:
    """P of each word of each of the texts and of its end, from models counted in plain dictionaries."""
    slow = Slow(sentences, order, vocab.words, dict.fromkeys(vocab.words, 1 / len(vocab)), method, weights)
    known_words = [[word if word in vocab else "<unk>" for word in text] for text in texts]
    return [np.array(slow.sentence(words)) for words in known_words]


def fast(sentences, order: int, method: str, weights):
    vocab, levels, zero = sets_of_counts(sentences, order)
    classes = buckets.classes_of(levels, KINDS[method])
    return smoothing.interpolate(vocab, levels, zero, buckets.weights_by_class(weights, classes))


@pytest.mark.equation("neubig2017", 10)
@pytest.mark.parametrize("method", KINDS)
@bounded
@given(train=sentence_lists, order=st.integers(1, 4), seed=st.integers(0, 99))
def test_each_class_has_its_weight(method: str, train: list, order: int, seed: int) -> None:
    weights = np.random.default_rng(seed).uniform(0.05, 0.95, (order, 40))
    lm, vocab = fast(train, order, method, weights), Vocabulary.from_sentences(train)
    texts = [*train, list("abcd"), list("ddd")]
    expected = slow_probs(train, order, vocab, method, weights, texts)
    for actual, probs in zip(sentence_log_probs(lm, texts), expected, strict=True):
        np.testing.assert_allclose(np.exp(actual), probs, rtol=1e-9)


@pytest.mark.parametrize("method", KINDS)
def test_tuned_weights_are_the_best_on_the_text_they_are_tuned_on(method: str) -> None:
    """Moving the weight of any class, either way, makes the text (and one prediction added each way) less likely.

    The text is judged by the recursion over dictionaries.
    """
    dev, (vocab, levels, zero) = UNSEEN * 3, sets_of_counts(FARM)
    classes = buckets.classes_of(levels, KINDS[method])
    encoded = [vocab.encode(item) for item in dev]
    actual = tuning.tune_weights_by_class(vocab, levels, zero, encoded, classes)
    assert [len(item) for item in actual] == [item.max() + 1 for item in classes]

    def log_likelihood(weights) -> float:
        prior = sum(math.log(alpha) + math.log(1 - alpha) for item in weights for alpha in item)
        return prior + np.log(np.concatenate(slow_probs(FARM, 3, vocab, method, weights, dev))).sum()

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
