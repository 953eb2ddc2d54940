"""Chapter 11's translator: where it has dropout, and its first weights (its laws: test_model_laws.py)."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from tests import rnn_reference
from tests.attention_models import whole_batch
from tests.translator_models import Twin, make_model


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
