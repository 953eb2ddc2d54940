"""Windows of history that are longer than a sentence: what lies before it is `<s>`, in training, scoring, sampling."""

from __future__ import annotations

import numpy as np
import pytest

from common.text.batching import make_batch
from common.text.histories import previous
from tests.feedforward_models import make_model
from tests.loglinear_reference import random_model
from tests.ngram_models import FARM, build, counts, longer

BEYOND = range(1, 10)
SHORT = [[2], [3, 2], [2, 3, 4, 5]]


def by_steps(model, batch) -> np.ndarray:
    """log P(target | words before it), (T, B), as a sampler would find it: word by word."""
    state, rows = model.start(batch.inputs.shape[1]), []
    for words, targets in zip(batch.inputs, batch.targets, strict=True):
        state, log_probs = model.advance(state, words.tolist())
        rows.append(log_probs[np.arange(len(targets)), targets])
    return np.array(rows)


def assert_all_ways_agree(model, sentences: list[list[int]], padded_with: list[int]) -> None:
    """Scored alone, beside a long sentence, and word by word, a sentence has the same log-probabilities."""
    for sentence in sentences:
        alone = make_batch([sentence], [0])
        expected = by_steps(model, alone)[:, 0]
        np.testing.assert_allclose(model.log_probs(alone)[:, 0], expected, rtol=1e-5, atol=1e-6)
        neighbour = model.log_probs(make_batch([sentence, padded_with], [0, 1]))
        np.testing.assert_allclose(neighbour[: len(sentence) + 1, 0], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("distance", BEYOND)
@pytest.mark.parametrize("length", range(1, 10))
def test_the_word_some_distance_back_in_a_sentence_of_any_length(distance: int, length: int) -> None:
    words = np.arange(2 * length).reshape(length, 2) + 1  # two sentences, and no word is 0
    expected = [[words[t - distance + 1, b] if t >= distance - 1 else 0 for b in (0, 1)] for t in range(length)]
    assert previous(words, distance).tolist() == expected


@pytest.mark.parametrize("far", BEYOND)
def test_features_further_back_than_the_sentence(far: int) -> None:
    other = far % 9 + 1
    model = random_model(f"word{far},class{far},suffix{far},pair{far}{other},classpair{other}{far}")
    assert_all_ways_agree(model, SHORT, [5, 4, 3, 2, 3, 4, 5, 2, 3, 4, 5, 2])


@pytest.mark.parametrize("distance", [2, 5, 7, 12, 30])
def test_skip_grams_further_back_than_the_sentence(distance: int) -> None:
    base = build("kneser-ney")
    ids = [base.vocab.encode(sentence) for sentence in FARM]
    model = longer.Mixture(base, longer.train_skip_gram(base.vocab, ids, distance), 0.5)
    assert_all_ways_agree(model, ids, max(ids, key=len) * 2)


@pytest.mark.parametrize("order", [2, 3, 9, 40])
def test_feed_forward_orders_longer_than_the_sentence(order: int) -> None:
    assert_all_ways_agree(make_model(order=order), SHORT, [5, 4, 3, 2, 3, 4, 5, 2, 3, 4, 5])


@pytest.mark.parametrize("order", [8, 40])
def test_ngrams_longer_than_any_sentence(order: int) -> None:
    """They are never seen, so the model is that of the longest sentence with its `<s>`."""
    longest = max(map(len, FARM)) + 2
    model, limit = build("kneser-ney", order=max(order, longest)), build("kneser-ney", order=longest)
    ids = [model.vocab.encode(sentence) for sentence in FARM]
    assert_all_ways_agree(model, ids, max(ids, key=len) * 2)
    batch = make_batch(ids, range(len(ids)))
    np.testing.assert_allclose(model.log_probs(batch), limit.log_probs(batch), rtol=1e-9)
    assert len(counts.count_ngrams(ids, order, len(model.vocab))) == order
