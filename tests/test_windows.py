"""Windows of history that are longer than a sentence: what lies before it is `<s>` (laws: test_model_laws.py)."""

from __future__ import annotations

import numpy as np
import pytest

from common.text.batching import make_batch
from common.text.histories import previous
from tests.ngram_models import FARM, build, counts


@pytest.mark.parametrize("distance", range(1, 10))
@pytest.mark.parametrize("length", range(1, 10))
def test_the_word_some_distance_back_in_a_sentence_of_any_length(distance: int, length: int) -> None:
    words = np.arange(2 * length).reshape(length, 2) + 1  # two sentences, and no word is 0
    expected = [[words[t - distance + 1, b] if t >= distance - 1 else 0 for b in (0, 1)] for t in range(length)]
    assert previous(words, distance).tolist() == expected


@pytest.mark.parametrize("order", [8, 40])
def test_ngrams_longer_than_any_sentence(order: int) -> None:
    """They are never seen, so the model is that of the longest sentence with its `<s>`."""
    longest = max(map(len, FARM)) + 2
    model, limit = build("kneser-ney", order=max(order, longest)), build("kneser-ney", order=longest)
    ids = [model.vocab.encode(sentence) for sentence in FARM]
    batch = make_batch(ids, range(len(ids)))
    np.testing.assert_allclose(model.log_probs(batch), limit.log_probs(batch), rtol=1e-9)
    assert len(counts.count_ngrams(ids, order, len(model.vocab))) == order
