"""Sampling follows the model's distribution and tells its probabilities right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from common.errors import UserError
from common.search.decoding import greedy
from common.search.sampling import draw, sample
from tests.table_lm import TableLM

# Rows: after <s>, <unk>, a, b. Only six sentences are possible.
TABLE = np.array([[0, 0.1, 0.6, 0.3], [1, 0, 0, 0], [0.3, 0, 0, 0.7], [0.5, 0.5, 0, 0]])
SENTENCES = {
    ("<unk>",): 0.1,
    ("a",): 0.6 * 0.3,
    ("a", "b"): 0.6 * 0.7 * 0.5,
    ("a", "b", "<unk>"): 0.6 * 0.7 * 0.5,
    ("b",): 0.3 * 0.5,
    ("b", "<unk>"): 0.3 * 0.5,
}


@pytest.fixture
def table_model() -> TableLM:
    return TableLM(["a", "b"], TABLE)


def chi_square(counts: np.ndarray, probabilities: np.ndarray) -> float:
    expected = counts.sum() * probabilities
    return float(((counts - expected) ** 2 / expected).sum())


def test_samples_have_the_models_frequencies(table_model: TableLM) -> None:
    assert sum(SENTENCES.values()) == pytest.approx(1)
    counts = Counter(tuple(s.words) for s in sample(table_model, 8_000, np.random.default_rng(1)))
    assert counts.keys() <= SENTENCES.keys()
    actual = chi_square(np.array([counts[words] for words in SENTENCES]), np.array(list(SENTENCES.values())))
    assert actual < 20.5  # 5 degrees of freedom: a right sampler exceeds this once in a thousand times


@pytest.mark.parametrize("value", [0.0, 0.2, 0.51, 0.9, np.nextafter(1, 0)])
def test_the_impossible_is_never_drawn(value: float) -> None:
    """Nor a word behind the last that has a probability, where single precision leaves a sum of 0.99999."""
    with np.errstate(divide="ignore"):
        log_probs = np.log(np.array([0, 0.5, 0, 0.49999, 0], dtype=np.float32))
    assert draw(log_probs, SimpleNamespace(random=lambda: value)) == (1 if value < 0.5 else 3)


@pytest.mark.parametrize("nothing", [-np.inf, np.nan])
@pytest.mark.parametrize("search", [partial(sample, number=3, rng=np.random.default_rng(1)), partial(greedy, number=3)])
def test_where_no_word_can_follow_it_is_said_after_which(nothing: float, search: Callable) -> None:
    """After `a b` nothing has a probability, or there is none that is a number."""
    model = TableLM(["a", "b"], np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0]]))
    model.table[3] = nothing
    with pytest.raises(UserError, match="^after '<s> a b' the model gives every word the probability 0; use"):
        search(model)


def test_a_sentence_is_cut_and_marked(table_model: TableLM) -> None:
    samples = sample(table_model, 300, np.random.default_rng(4), max_words=2)
    assert {(tuple(s.words), s.finished) for s in samples} == {
        (("<unk>",), True),
        (("a",), True),
        (("b",), True),
        (("a", "b"), False),
        (("b", "<unk>"), False),
    }
    prefixes = {("a", "b"): 0.6 * 0.7, ("b", "<unk>"): 0.3 * 0.5}
    for actual in samples:
        expected = SENTENCES[tuple(actual.words)] if actual.finished else prefixes[tuple(actual.words)]
        assert np.exp(actual.log_prob) == pytest.approx(expected)
