"""The best next words as DyNet finds them, against all next words sorted by NumPy."""

from __future__ import annotations

from types import SimpleNamespace

import dynet as dy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.nn.softmax import NextWords, best_of
from common.search.decoding import Searchable, beam_search, greedy
from common.search.translation import Conditional
from tests import attention_models, encoder_models, word_attention_models


def as_expression(scores: np.ndarray) -> dy.Expression:
    """(V, rows) -> (V,) x rows."""
    return dy.reshape(dy.inputTensor(scores.ravel(order="F")), (len(scores),), scores.shape[1])


@given(words=st.integers(1, 40), rows=st.integers(1, 5), number=st.integers(1, 45), seed=st.integers(0, 2**31))
@settings(max_examples=60, deadline=None)
def test_the_best_are_the_largest_numbers_of_each_row(words: int, rows: int, number: int, seed: int) -> None:
    """Many of them equal, too: then any of the equal ones will do, but none twice."""
    dy.renew_cg()
    scores = np.random.default_rng(seed).integers(-3, 4, (words, rows)) / 2
    places, values = best_of(as_expression(scores), number)
    assert places.shape == values.shape == (rows, min(words, number))
    for row, (chosen, found) in enumerate(zip(places, values, strict=True)):
        assert len(set(chosen.tolist())) == len(chosen)
        np.testing.assert_array_equal(scores[chosen, row], found)
        np.testing.assert_array_equal(np.sort(found), np.sort(scores[:, row])[words - len(found) :])


class Counting(NextWords):
    """A model of two words and `</s>` whose state is the number of words read."""

    def next_words(self, state: int, words: list[int]) -> tuple[int, dy.Expression]:
        scores = np.array([[0.1 * word, 1.0, float(state)] for word in words]).T
        return state + 1, dy.log_softmax(as_expression(scores))


def test_either_way_of_advancing_tells_the_same() -> None:
    dy.renew_cg()
    state, log_probs = Counting().advance(3, [0, 1])
    again, best, found = Counting().advance_best(3, [0, 1], 2)
    assert state == again == 4
    np.testing.assert_allclose(np.exp(log_probs).sum(axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(np.sort(best), [[1, 2], [1, 2]])
    np.testing.assert_array_equal(np.take_along_axis(log_probs, best, axis=1), found)


def without_advance_best(model: Searchable) -> Searchable:
    """The same model, which gives search all next words."""
    return SimpleNamespace(vocab=model.vocab, start=model.start, advance=model.advance, select=model.select)


TRANSLATORS = {
    "encoder-decoder": encoder_models.make_model,
    "attention": attention_models.make_model,
    "word attention": word_attention_models.make_model,
}


@pytest.mark.parametrize("name", TRANSLATORS)
def test_translators_are_searched_alike_either_way(name: str) -> None:
    """Sentences, log-probabilities and attention of greedy and beam search, from the best words or from all of them."""
    sources = attention_models.SOURCES
    fast = Conditional(TRANSLATORS[name](), sources)
    assert hasattr(fast, "advance_best")
    slow = without_advance_best(fast)
    found, expected = ([[one] for one in greedy(model, len(sources), 9)] for model in (fast, slow))
    for size in (1, 2, 3, 5, 7):  # seven is more than there are words
        found += beam_search(fast, len(sources), size, 9)
        expected += beam_search(slow, len(sources), size, 9)
    assert len(found) == len(expected) == 6 * len(sources)
    for ours, theirs in zip(found, expected, strict=True):
        assert [one.words for one in ours] == [one.words for one in theirs]
        assert [one.finished for one in ours] == [one.finished for one in theirs]
        np.testing.assert_allclose([one.log_prob for one in ours], [one.log_prob for one in theirs], rtol=1e-6)
        for one, other in zip(ours, theirs, strict=True):
            assert (one.attention is None) == (other.attention is None)
            if one.attention is not None:
                np.testing.assert_allclose(one.attention, other.attention, atol=1e-6)
