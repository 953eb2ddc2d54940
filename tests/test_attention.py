"""Weights over the past are those of a distribution, however large the scores. Their equations: test_model_laws.py."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from common.nn.attention import causal_weights

B = 3  # sentences


@pytest.mark.parametrize("columns", [1, 6])
@pytest.mark.parametrize("size", [1, 1e3])
def test_weights_sum_to_one_over_the_past_and_are_nothing_elsewhere(columns: int, size: float) -> None:
    scores = dy.inputTensor(size * np.random.default_rng(7).normal(size=(6, columns, B)), batched=True)
    weights = causal_weights(scores, 6).npvalue()
    assert np.isfinite(weights).all() and (weights >= 0).all()
    for t in range(6):
        assert (weights[t:, t] == 0).all()
        np.testing.assert_allclose(weights[:, t].sum(axis=0), float(t > 0), atol=1e-6)


def test_the_last_steps_attend_as_among_all() -> None:
    scores = dy.inputTensor(np.random.default_rng(7).normal(size=(6, 6, B)), batched=True)
    last = causal_weights(dy.pick_range(scores, 4, 6, 1), 2).npvalue()
    assert (last == causal_weights(scores, 6).npvalue()[:, 4:]).all()
