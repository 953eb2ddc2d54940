"""Chapter 1: tuned weights, spelt unknown words, skip-grams and the cache."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from common.evaluation.perplexity import evaluate, sentence_log_probs
from tests.ngram_models import (
    FARM,
    bounded,
    build,
    characters,
    longer,
    tuning,
)

letters_of = st.text(alphabet="abcd", min_size=0, max_size=6)


# --- weights


@bounded
@given(st.lists(st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)), min_size=3, max_size=30))
def test_one_weight_is_the_best_of_all(pairs: list[tuple[float, float]]) -> None:
    first, second = np.array(pairs).T
    actual = tuning.tune_weight(first, second)
    grid = np.linspace(0.001, 0.999, 999)
    values = [np.log((1 - a) * first + a * second).sum() + math.log(a * (1 - a)) for a in [actual, *grid]]
    assert values[0] >= max(values) - 1e-4


# --- spelling


@bounded
@given(words=st.lists(letters_of.filter(bool), min_size=1, max_size=8))
def test_spellings_sum_to_one(words: list[str]) -> None:
    """All words of up to two letters and all beginnings of three together have probability one."""
    lm = characters.train_letters(words, 3)
    alphabet = [*lm.vocab.words[2:], "<new>"]
    short = ["", *alphabet]
    short = [[letter] if letter else [] for letter in short] + [[a, b] for a in alphabet for b in alphabet]
    finished = sum(math.exp(log_probs.sum()) for log_probs in sentence_log_probs(lm, short))
    going_on = [
        log_probs[:3].sum()
        for log_probs in sentence_log_probs(lm, [[a, b, c] for a in alphabet for b in alphabet for c in alphabet])
    ]
    assert finished + sum(map(math.exp, going_on)) == pytest.approx(1)


def test_a_word_like_others_is_spelt_more_easily() -> None:
    letters = characters.train_letters(["selina", "selena", "ranina", "ranena"], 4)
    likely, unlikely, new = characters.spell(letters, ["selina", "aniles", "sel\u00efna"])
    assert likely > unlikely > new
    assert new < -math.log(characters.UNICODE), "a letter never seen is one in all that there are"
    one_by_one = [characters.spell(letters, [word])[0] for word in ("selina", "aniles")]
    np.testing.assert_allclose([likely, unlikely], one_by_one)


def test_what_known_words_would_take_goes_to_the_unknown() -> None:
    """A language of one letter: P(word of n letters) is known, and the words that are known are left out."""
    letters = characters.train_letters(["a", "aa"], 1)
    vocab = characters.SpellingVocabulary(["a", "aa"], letters)
    ending, letter = (math.exp(letters.log_probabilities[0][i]) for i in (0, 2))
    outside = 1 - ending - letter * ending - letter**2 * ending
    assert math.exp(vocab.spell(["aaa"])[0]) == pytest.approx(letter**3 * ending / outside)


def test_spelt_words_are_charged_their_letters() -> None:
    lm = build("witten-bell", spells=True)
    lm.vocab = characters.SpellingVocabulary(lm.vocab.words[2:], characters.train_letters(["hen", "goat"], 3))
    sentences = [["the", "heat"], ["the", "hen"], ["goal", "goal"]]
    uniform, token, spelt = (evaluate(lm, sentences, kind) for kind in ("uniform", "token", "characters"))
    assert spelt.unknown == uniform.unknown == 3
    assert spelt.unknown_log_prob == pytest.approx(lm.vocab.spell(["heat", "goal", "goal"]).sum())
    assert spelt.log_prob == pytest.approx(token.log_prob + spelt.unknown_log_prob)
    assert spelt.model_log_prob == pytest.approx(token.model_log_prob)
    assert uniform.unknown_log_prob == pytest.approx(-3 * math.log(10_000_000))
    single = [float(log_probs.sum()) for log_probs in sentence_log_probs(lm, sentences, "characters")]
    assert sum(single) == pytest.approx(spelt.log_prob) and single[1] == pytest.approx(
        float(sentence_log_probs(lm, sentences[1:2], "token")[0].sum())
    )


# --- skip-grams and the cache


@pytest.mark.parametrize("distance", [2, 3, 4])
def test_skip_grams_are_bigrams_of_every_other_word(distance: int) -> None:
    """Pairs `distance` apart, counted by hand, `<s>` standing before the beginning; and only that word matters."""
    base = build("kneser-ney")
    vocab = base.vocab
    _, pairs = longer.count_pairs([vocab.encode(item) for item in FARM], distance, len(vocab))
    expected = {}
    for sentence in FARM:
        text = [0] * distance + vocab.encode(sentence) + [0]
        for before, word in zip(text, text[distance:], strict=False):
            expected[before * len(vocab) + word] = expected.get(before * len(vocab) + word, 0) + 1
    assert dict(zip(pairs.keys.tolist(), pairs.counts.tolist(), strict=True)) == expected
    extra = longer.train_skip_gram(vocab, [vocab.encode(item) for item in FARM], distance)
    state = extra.start(2)
    histories = [["the", *["hen"] * (distance - 1)], ["the", *["a"] * (distance - 1)]]
    for words in zip([0, *vocab.encode(histories[0])], [0, *vocab.encode(histories[1])], strict=True):
        state, rows = extra.advance(state, words)
    assert np.array_equal(rows[0], rows[1]) and rows.sum(axis=1) == pytest.approx([1, 1])
