"""Chapter 11's translator: its heads, dropout and first weights (its laws: test_model_laws.py)."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from common.text.batching import make_batch
from common.text.pairs import make_pair_batch
from tests import rnn_reference
from tests.attention_models import whole_batch
from tests.translator_models import Twin, make_model

LONG = [2, 3, 4, 4, 1, 3, 2, 2, 4]
"""A target of nine words."""


def test_the_heads_of_a_batch_are_those_that_are_shown_one_by_one() -> None:
    """And padding gets nothing."""
    batch = make_pair_batch([[2, 3, 4, 5, 2], [5, 3]], make_batch([LONG, [2, 3]], [0, 1]))
    maps = make_model().attention(batch)
    assert maps.shape == (4, len(LONG) + 1, 5, 2) and not maps[:, :, 2:, 1].any()
    for head in range(4):
        model = make_model(alignment_head=head + 1)
        dy.renew_cg()
        state = model.encode([[2, 3, 4, 5, 2], [5, 3]])
        for step, words in enumerate(batch.target.inputs):
            state, _ = model.advance(state, words.tolist())
            np.testing.assert_allclose(maps[head, step].T, state.attention, atol=2e-5)


@pytest.mark.parametrize("layers", [1, 2])
def test_dropout_is_on_embeddings_and_on_what_each_part_adds(monkeypatch: pytest.MonkeyPatch, layers: int) -> None:
    rates: list[float] = []
    monkeypatch.setattr(dy, "dropout", lambda expression, rate: rates.append(rate) or expression)
    dy.renew_cg()
    make_model(layers=layers, dropout=0.3).loss(whole_batch())
    assert rates == [0.3] * (2 + 2 * layers + 3 * layers), "two sides, two parts of an encoder's block, three here"


def test_weights_start_as_asked() -> None:
    model = make_model(scale=0, init_scale=0.05, positions="learnt")
    for name, weights in rnn_reference.weights_of(Twin(model, positions="learnt").parameters).items():
        if name.split()[1].startswith("b"):
            assert not weights.any(), name
        else:
            assert 0.02 < np.abs(weights).max() <= 0.05, name
