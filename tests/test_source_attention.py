"""Weights over a source whose scores are enormous (its laws: test_model_laws.py)."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from common.nn.source_attention import Memory, attention_weights
from common.nn.source_scores import DotScore


@pytest.mark.parametrize("size", [1, 1e4, -1e4])
def test_the_only_word_has_all_weight_whatever_its_score(size: float) -> None:
    """Of five words and one beside each other; the score of the one is size * 3."""
    annotations = np.random.default_rng(3).normal(size=(3, 5, 2))
    annotations[:, 0, 1] = size
    score, query = DotScore(), dy.inputTensor(np.ones((3, 2)), batched=True)
    memory = Memory.of(score, dy.inputTensor(annotations, batched=True), np.array([5, 1]))
    assert np.array_equal(attention_weights(score, memory, query).npvalue()[:, 0, 1], [1, 0, 0, 0, 0])
