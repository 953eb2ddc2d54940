"""What the feed-forward language model reads, drops and starts from. Its equations: test_model_laws.py."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from tests.feedforward_models import (
    UNIGRAM,
    advance_through,
    loss_of,
    make_model,
)
from tests.small_models import LONG, V, whole_batch

SOFTMAXES = ("full", "class", "hierarchical", "sampled", "nce")


# --- settings


@pytest.mark.parametrize("layers", [0, 1, 3])
def test_dropout_is_on_the_embeddings_and_every_hidden_layer(monkeypatch: pytest.MonkeyPatch, layers: int) -> None:
    rates = []
    monkeypatch.setattr(dy, "dropout", lambda expression, rate: rates.append(rate) or expression)
    loss_of(make_model(layers=layers, dropout=0.3), whole_batch())
    assert rates == [0.3] * (layers + 1)


@pytest.mark.parametrize("softmax", SOFTMAXES)
@pytest.mark.parametrize(("bias", "expected"), [("unigram", UNIGRAM), ("zero", np.full(V, -np.log(V)))])
def test_training_starts_at_the_unigram_distribution(softmax: str, bias: str, expected: np.ndarray) -> None:
    """With weights near zero, that is what every softmax knows, or with --bias zero nothing at all."""
    model = make_model(scale=0, softmax=softmax, bias=bias, init_scale=1e-6)
    actual = advance_through(model, np.array([LONG]).T)
    np.testing.assert_allclose(actual[:, 0], np.tile(expected, (len(LONG), 1)), atol=1e-4)
