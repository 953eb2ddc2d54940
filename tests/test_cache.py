"""The neural cache equals a plain loop over its equation, is a distribution, and its settings are found on dev."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from common.chapters import chapter_module
from common.evaluation.perplexity import sentence_log_probs
from tests.programs import Call, metrics_of
from tests.rnn_models import CHAPTER, make_model
from tests.small_models import SENTENCES

neural_cache = chapter_module(CHAPTER, "neural_cache")
N, H, V = 300, 3, 5


@pytest.fixture
def hidden() -> np.ndarray:
    return np.random.default_rng(2).normal(size=(N, H))


@pytest.fixture
def words() -> np.ndarray:
    return np.random.default_rng(3).integers(V, size=N)


def by_loop(hidden: np.ndarray, words: np.ndarray, t: int, first: int, window: int, theta: float) -> np.ndarray:
    """The distribution of the cache before word t, (V,): Grave et al. 2017, section 3, as it stands."""
    masses = np.zeros(V)
    for i in range(max(first, t - window), t):
        masses[words[i]] += math.exp(theta * sum(a * b for a, b in zip(hidden[t], hidden[i], strict=True)))
    return masses / masses.sum()


@pytest.mark.parametrize("window", [1, 7, 1000])
@pytest.mark.parametrize("theta", [0.0, 0.7])
def test_the_cache_is_its_equation(hidden: np.ndarray, words: np.ndarray, window: int, theta: float) -> None:
    """Across the blocks that it is computed in, and with sentences that it may not look beyond."""
    first = np.repeat([0, 40, 41, 255, 257], [40, 1, 214, 2, N - 257])
    oldest = neural_cache.first_held(np.arange(N), first, window)
    actual = neural_cache.cache_probs(hidden, words, oldest, theta)
    for t in range(N):
        if t == first[t]:
            assert math.isnan(actual[t])
        else:
            expected = by_loop(hidden, words, t, first[t], window, theta)[words[t]]
            assert actual[t] == pytest.approx(expected, abs=1e-9)


def test_enormous_scores_stay_finite() -> None:
    hidden = np.array([[100.0], [-100.0], [100.0]])
    actual = neural_cache.cache_probs(hidden, np.array([1, 2, 1]), np.zeros(3, dtype=int), 5.0)
    np.testing.assert_allclose(actual[1:], [0.0, 1.0])


# --- over a model


@pytest.fixture
def program():
    return chapter_module(CHAPTER, "cache")


@pytest.mark.parametrize("saved", [False, True])
def test_a_text_is_read_in_order(program, saved: bool) -> None:
    """States and log-probabilities belong to their words, whatever batches they were computed in."""
    model = make_model("lstm")
    sentences = [[f"w{word}" for word in sentence if word > 1] for sentence in SENTENCES]
    text = program.read(model, sentences, saved)
    ids = [[word for word in sentence if word > 1] for sentence in SENTENCES]
    assert text.words.tolist() == [word for sentence in ids for word in [*sentence, 0]]
    assert text.first.tolist() == [0] * 5 + [5] * 3 + [8] + [9] * 5
    logits = text.hidden @ model.W_hs.as_array().T + model.b_s.as_array()
    expected = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(text.log_probs, expected[np.arange(14), text.words], atol=1e-5)
    if not saved:
        np.testing.assert_allclose(text.log_probs, np.concatenate(sentence_log_probs(model, sentences)), atol=1e-6)


def test_the_scopes(program, hidden: np.ndarray, words: np.ndarray) -> None:
    first = np.repeat([0, 150], 150)
    text = program.Text(hidden, words, np.full(N, -1.0), first)
    sentence, whole = (program.cached(text, 0.5, 1000, scope) for scope in ("sentence", "text"))
    assert math.isnan(sentence[0]) and math.isnan(sentence[150]) and not math.isnan(whole[150])
    np.testing.assert_allclose(sentence[1:150], whole[1:150])
    assert np.abs(sentence[151:] - whole[151:]).max() > 0.01


def test_tuning_finds_a_cache_where_it_helps_and_none_where_it_does_not(program) -> None:
    """A text in which every state comes twice, with the same word or with another one."""
    states = np.eye(50) * 3
    hidden, words = np.concatenate([states, states]), np.concatenate([np.arange(50)] * 2)
    flat, first = np.full(100, -math.log(50)), np.zeros(100, dtype=int)
    again = program.tune(program.Text(hidden, words, flat, first), "text")
    assert again.share == max(program.SHARES) and again.theta == max(program.THETAS)
    never = program.tune(program.Text(hidden, np.arange(100), flat, first), "text")
    assert never.share == 0


def test_the_program(trained: Path, call: Call, capsys: pytest.CaptureFixture) -> None:
    """It tunes and reports; without a cache it finds the perplexity that the training reported."""
    capsys.readouterr()
    call("cache", "--run", trained)
    lines = capsys.readouterr().out.splitlines()
    assert f"{metrics_of(trained)['test']['perplexity']:.2f}" == lines[1].split()[-1]
    assert [line.split()[-3] for line in lines if line.startswith("cache")] == ["text", "sentence"]
