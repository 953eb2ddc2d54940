"""Small attentive language models for tests, and what is asked of them again and again."""

from __future__ import annotations

import dynet as dy

from chapters.attentive_lm.model import AttentiveLM
from common.nn.attention import PAST_SCORES
from common.text.batching import Batch
from tests import attentive_reference as reference
from tests.small_models import H, vocabulary

SCORES = tuple(PAST_SCORES)
ATTENTIVE = ("single", "combined")


def make_model(score: str, layers: int = 2, dropout: float = 0.0, scale: float = 1.0, **options):
    """A small model; with `scale` its parameters are random numbers, without they start as in training."""
    settings = {"hidden_size": H, "layers": layers, "score": score, "dropout": dropout} | options
    model = AttentiveLM(vocabulary(), **settings)
    if scale:
        reference.randomise(model, scale)
    return model


def loss_of(model, batch: Batch) -> float:
    dy.renew_cg()
    return model.loss(batch).scalar_value()
