"""The next words that are chosen in DyNet, the best or drawn ones, against those that NumPy chooses from all."""

from __future__ import annotations

from types import SimpleNamespace

import dynet as dy
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from common.nn import softmax
from common.nn.softmax import as_rows
from common.search import in_dynet
from common.search.decoding import best_word
from common.search.in_dynet import drawn_from, inverse_cdf
from common.search.sampling import draw


def as_expression(scores: np.ndarray) -> dy.Expression:
    """(V, rows) -> (V,) x rows."""
    return dy.reshape(dy.inputTensor(scores.ravel(order="F")), (len(scores),), scores.shape[1])


def distributions(rng: np.random.Generator, words: int, rows: int) -> np.ndarray:
    """log P of random scores, (V, rows), in the precision of DyNet."""
    scores = rng.normal(0, 2, (words, rows))
    return (scores - np.logaddexp.reduce(scores, axis=0)).astype(np.float32)


def given_numbers(*numbers: float) -> SimpleNamespace:
    """Stands for a random generator and gives numbers that are known."""
    return SimpleNamespace(random=lambda number: np.array(numbers))


@given(words=st.integers(2, 200), rows=st.integers(1, 5), seed=st.integers(0, 2**31))
@settings(max_examples=150, deadline=None)
def test_the_word_that_is_drawn_is_where_the_running_sum_passes_the_random_number(
    words: int, rows: int, seed: int
) -> None:
    """It lies in the middle of what a word takes, the first, the last or any other, or anywhere.

    The probabilities are a tenth too small, as if they were rounded badly: it is a share of their sum all the same.
    """
    dy.renew_cg()
    rng = np.random.default_rng(seed)
    log_probs = distributions(rng, words, rows) - np.float32(0.1)
    target = rng.choice([0, words - 1, rng.integers(words)], rows)
    ends = np.cumsum(np.exp(log_probs, dtype=np.float64), axis=0)
    middles = (ends - np.exp(log_probs) / 2)[target, np.arange(rows)] / ends[-1]
    clear = np.exp(log_probs)[target, np.arange(rows)] > 1e-5  # what is less, single precision does not tell
    actual, values = drawn_from(as_expression(log_probs), given_numbers(*middles))
    np.testing.assert_array_equal(actual[clear], target[clear])
    np.testing.assert_array_equal(values, log_probs[actual, np.arange(rows)])
    anywhere = np.random.default_rng(seed)
    expected = [draw(row, anywhere) for row in log_probs.T]
    again, _ = drawn_from(as_expression(log_probs), np.random.default_rng(seed))
    assert (again != expected).sum() <= 1, "the same random numbers, in the same order, but for one rounding"


@pytest.mark.parametrize("number", [0.0, 0.3, 0.51, 0.9, np.nextafter(1, 0)])
@pytest.mark.parametrize("words", [5, 16, 90])
def test_the_impossible_is_never_drawn(words: int, number: float) -> None:
    """All words but two in the middle have no probability, and not even these two add up to 1."""
    dy.renew_cg()
    log_probs = np.full((words, 1), -1e9)
    first, other = words // 2 - 1, words // 2
    log_probs[[first, other], 0] = np.log([0.5, 0.49999])
    actual, _ = drawn_from(as_expression(log_probs), given_numbers(number))
    assert actual.tolist() == [first if number < 0.5 else other]


def test_a_mark_behind_all_belongs_to_the_last_that_has_anything() -> None:
    masses = np.array([[0.25, 0.5, 0, 0.25, 0, 0]] * 4)
    places, left = inverse_cdf(masses, np.array([0.25, 0.7, 1, 1.00001]))
    np.testing.assert_array_equal(places, [1, 1, 3, 3])
    np.testing.assert_allclose(left, [0, 0.45, 0.25, 0.25])


def test_few_numbers_leave_dynet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 10,000 words less than 4 times the root of their number, for each row."""
    dy.renew_cg()
    numbers = []
    for module in (in_dynet, softmax):
        monkeypatch.setattr(module, "as_rows", lambda part: numbers.append(np.size(part.npvalue())) or as_rows(part))
    log_probs = distributions(np.random.default_rng(1), 10_000, 3)
    drawn_from(as_expression(log_probs), np.random.default_rng(2))
    assert 0 < sum(numbers) < 3 * 400
    numbers.clear()
    best_word(as_expression(log_probs))
    assert sum(numbers) == 3
