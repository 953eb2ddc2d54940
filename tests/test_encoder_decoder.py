"""Dropout in every encoder, and learning with those that follow trees (their laws: test_model_laws.py)."""

from __future__ import annotations

import numpy as np
import pytest

from common.nn.dropout import make_dropout
from common.nn.encoders import Source
from tests.attention_models import whole_batch
from tests.encoder_models import ENCODERS, SOURCES, make_model
from tests.learning import learn


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("kind", ["zaremba", "variational"])
def test_dropout_is_in_every_encoder(name: str, kind: str) -> None:
    model = make_model(name, layers=1)
    source = Source.of(model.source_embedding, SOURCES)
    actual = {model.encoder.start(source, make_dropout(0.5, kind))[0].hidden.npvalue().tobytes() for _ in range(3)}
    assert len(actual) == 3


@pytest.mark.trains
@pytest.mark.parametrize("name", ["recursive", "treelstm"])
def test_translations_can_be_learnt_by_heart(name: str) -> None:
    """The other encoders do the same as all models (`test_model_laws`)."""
    model, batch = make_model(name, scale=0.1, hidden_size=12, layers=1), whole_batch()
    real = batch.target.mask > 0
    learn(model, lambda: model.loss(batch), lambda: np.exp(model.log_probs(batch)[real]).min() > 0.8, budget=400)
