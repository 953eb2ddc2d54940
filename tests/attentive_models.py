"""Small attentive language models for tests, and what is asked of them again and again."""

from __future__ import annotations

import dynet as dy
import numpy as np

from chapters.attentive_lm.model import AttentiveLM
from common.nn.attention import PAST_SCORES
from common.text.batching import Batch
from tests import attentive_reference as reference, small_models
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


def gradients(model, batch: Batch) -> dict[str, np.ndarray]:
    """The gradient of the loss of a batch for every parameter."""
    return small_models.gradients(model.collection, reference.parameters_of(model), lambda: model.loss(batch))


def distributions(model, inputs: np.ndarray) -> np.ndarray:
    """log P(next word) at every step, (V, T, B), from the batched computation."""
    dy.renew_cg()
    log_probs = dy.log_softmax(model.logits(inputs)).npvalue()
    return log_probs.reshape(len(model.vocab), *inputs.shape, order="F")


def advance_through(model, inputs: np.ndarray) -> tuple[list, np.ndarray]:
    """Step by step: the states after each word, and log P(next word), (V, T, B)."""
    states, steps = [model.start(inputs.shape[1])], []
    for words in inputs:
        state, log_probs = model.advance(states[-1], words.tolist())
        states.append(state)
        steps.append(log_probs.T)
    return states, np.stack(steps, axis=1)
