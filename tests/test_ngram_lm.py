"""Chapter 1: counting, the n-gram assumption, and every smoothing method against plain dictionaries."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from common.evaluation.perplexity import evaluate, sentence_log_probs
from tests.ngram_models import (
    PITTSBURGH,
    bounded,
    build,
    distribution,
    methods,
    prefixes,
    reference,
    sentence_lists,
    sets_of_counts,
    smoothing,
    words,
)
from tests.ngram_reference import count

METHODS = list(methods.METHODS)
SMOOTHED = METHODS[1:]
TUNED = ("fixed-weights", "weights-by-count", "weights-by-mean-count")
"""Those whose weights depend on dev: they are compared with their definitions below, and in test_ngram_weights.py."""


def prob(lm, sentence: str, position: int) -> float:
    """P of the word at a position of a sentence."""
    (log_probs,) = sentence_log_probs(lm, [sentence.split()])
    return math.exp(log_probs[position])


# --- whole beginnings


@pytest.mark.equation("neubig2017", 5)
@bounded
@given(train=sentence_lists, sentences=sentence_lists)
def test_beginnings_are_counted(train: list[list[str]], sentences: list[list[str]]) -> None:
    table = prefixes.count_prefixes(train)
    ended = [[*sentence, "</s>"] for sentence in train]
    for sentence in sentences:
        start = sum(other[: len(sentence) - 1] == sentence[:-1] for other in ended)
        gone_on = sum(other[: len(sentence)] == sentence for other in ended)
        expected = gone_on / start if start else 0
        assert prefixes.prefix_prob(table, sentence[:-1], sentence[-1]) == expected


@pytest.mark.equation("neubig2017", 3)
@bounded
@given(train=sentence_lists)
def test_a_sentence_is_its_words_and_its_length_together(train: list[list[str]]) -> None:
    """The joint probability is the share of sentences with this length and these words, and they sum to one.

    A sentence that only begins another one has the words, but not the length.
    """
    table = prefixes.count_prefixes(train)
    different = {tuple(sentence) for sentence in train}
    for sentence in different | {sentence[:-1] for sentence in different}:
        share = sum(len(other) == len(sentence) and tuple(other) == sentence for other in train) / len(train)
        assert prefixes.sentence_prob(table, sentence) == pytest.approx(share)
    assert sum(prefixes.sentence_prob(table, sentence) for sentence in different) == pytest.approx(1)
    assert prefixes.share_possible(PITTSBURGH, [*PITTSBURGH, ["i"]]) == 3 / 4


# --- counting


@bounded
@given(train=sentence_lists, order=st.integers(1, 7))
def test_counts_are_those_of_a_dictionary(train: list[list[str]], order: int) -> None:
    vocab, levels, _ = sets_of_counts(train, order)
    expected = count(train, order)
    names, shorter = [()], []
    for n, level in enumerate(levels, start=1):
        longer = [
            names[c] + (vocab.words[key % len(vocab)],) for c, key in zip(level.contexts, level.keys, strict=True)
        ]
        assert {ngram: c for ngram, c in zip(longer, level.counts, strict=True) if c} == dict(expected[n])
        assert (np.diff(level.keys) > 0).all()
        for ngram, suffix, opens in zip(longer, level.suffixes, level.opens, strict=True):
            assert opens == (ngram[0] == "<s>")
            assert n == 1 or shorter[suffix] == ngram[1:]
        shorter = longer
        names = [("<s>",) if ngram == ("</s>",) else ngram for ngram in longer]


# --- n-grams


@pytest.mark.equation("neubig2017", 8)
def test_maximum_likelihood_by_hand() -> None:
    """Figure 3 with bigrams, and the footnote's question: `i am from utah .` is patched together from what was seen."""
    lm = build("maximum-likelihood", PITTSBURGH, order=2)
    assert prob(lm, "i am from utah .", 0) == pytest.approx(2 / 3)
    assert prob(lm, "i am from utah .", 1) == pytest.approx(1 / 2)
    (log_probs,) = sentence_log_probs(lm, ["i am from utah .".split()])
    assert math.exp(log_probs.sum()) == pytest.approx(2 / 3 * 1 / 2 * 1 * 1 / 2 * 1 * 1)
    assert evaluate(lm, ["i from utah .".split()], "token").perplexity == math.inf


@pytest.mark.equation("neubig2017", 9, 10)
@bounded
@given(train=sentence_lists, dev=sentence_lists, weights=st.lists(st.floats(0.01, 0.99), min_size=4, max_size=4))
def test_interpolation_of_all_orders(train: list, dev: list, weights: list[float]) -> None:
    """By the recursion of the equation, over dictionaries."""
    vocab, levels, zero = sets_of_counts(train, 4)
    lm = smoothing.interpolate(vocab, levels, zero, smoothing.fixed_weights(weights))
    slow = reference(lm, "fixed-weights", train, 4, weights=weights)
    for sentence, actual in zip(dev, sentence_log_probs(lm, dev), strict=True):
        known_words = [word if word in vocab else "<unk>" for word in sentence]
        np.testing.assert_allclose(np.exp(actual), slow.sentence(known_words), rtol=1e-9)


@pytest.mark.equation("neubig2017", 16)
def test_unknown_words_get_the_weight_of_order_zero() -> None:
    """alpha_1 = 1/10: a word of the vocabulary keeps 9/10 of its share; an unknown word gets 1/10 of P_unk."""
    lm = smoothing.interpolate(*sets_of_counts(PITTSBURGH, 1, spells=True), smoothing.fixed_weights([0.1]))
    (log_probs,) = sentence_log_probs(lm, ["i wombat".split()], "uniform")
    predictions = sum(len(sentence) + 1 for sentence in PITTSBURGH)
    np.testing.assert_allclose(np.exp(log_probs), [0.9 * 2 / predictions, 0.1 / 10_000_000, 0.9 * 3 / predictions])
    actual = evaluate(lm, ["i wombat".split()], "uniform")
    assert actual.unknown_log_prob == pytest.approx(-math.log(10_000_000)) and actual.unknown == 1
    assert actual.model_log_prob == pytest.approx(log_probs.sum() + math.log(10_000_000))


# --- all methods


@pytest.mark.equation("neubig2017", 6, 7)
@pytest.mark.parametrize("method", [name for name in METHODS if name not in TUNED])
@settings(bounded, max_examples=25)
@given(train=sentence_lists, order=st.integers(1, 5), spells=st.booleans())
def test_the_method_is_its_definition_on_any_text(
    method: str, train: list[list[str]], order: int, spells: bool
) -> None:
    lm = build(method, train, order, spells)
    slow = reference(lm, method, train, order, spells)
    for history in (["a"], ["a", "b"], ["d", "c", "b"], []):
        after = tuple(["<s>", *(word if word in lm.vocab else "<unk>" for word in history)])
        expected = [slow.prob(word, after) for word in lm.vocab.words]
        np.testing.assert_allclose(distribution(lm, history), expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("method", SMOOTHED)
@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(
    train=st.lists(st.lists(words, min_size=1, max_size=4), min_size=1, max_size=4),
    times=st.integers(1, 7),
    order=st.integers(1, 4),
    min_count=st.integers(1, 2),
    spells=st.booleans(),
)
def test_no_word_of_a_tiny_text_is_impossible(
    method: str, train: list[list[str]], times: int, order: int, min_count: int, spells: bool
) -> None:
    """After any history. times: how often the first sentence comes, so that counts of counts have gaps."""
    train = train[:1] * times + train[1:]
    lm = build(method, train, order, spells, dev=train, min_count=min_count)
    for history in ([], train[0], train[-1], train[0][::-1], ["<unk>"]):
        actual = distribution(lm, history)
        assert actual.sum() == pytest.approx(1, abs=1e-9)
        assert actual.min() > 1e-6, lm.vocab.words[int(actual.argmin())]
