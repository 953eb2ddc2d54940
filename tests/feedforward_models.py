"""Small feed-forward language models for tests, and what is asked of them again and again."""

from __future__ import annotations

import dynet as dy
import numpy as np

from chapters.feedforward_lm import model as model_module
from chapters.feedforward_lm.settings import Settings as Settings
from common.text.batching import Batch
from tests import rnn_reference, small_models
from tests.small_models import vocabulary

CHAPTER = "04_feedforward_lm"

UNIGRAM = np.log([0.25, 0.05, 0.3, 0.2, 0.1, 0.06, 0.04])


def make_model(scale: float = 0.7, seed: int = 5, **flags):
    """A small model with normal random numbers as its parameters (as in training where scale is 0)."""
    settings = {"order": 4, "hidden_size": 3, "embedding_size": 2, "dropout": 0.0, **flags}
    model = model_module.FeedForwardLM(vocabulary(), UNIGRAM, **settings)
    if scale:
        rnn_reference.randomise(small_models.parameters_of(model), scale, seed)
    return model


def parameters_of(model) -> dict[str, dy.Parameters | dy.LookupParameters]:
    """The parameters of a model with a full softmax (or one evaluated as such), by the names of the reference."""
    parameters = {"M": model.embedding, "W_hs": model.softmax.W, "b_s": model.softmax.b}
    for number, (W, b) in enumerate(model.layers):
        parameters |= {f"W_mh{number}": W, f"b_h{number}": b}
    return parameters | ({"P": model.projection} if model.projection is not None else {})


def loss_of(model, batch: Batch, seed: int = 1) -> float:
    dy.renew_cg()
    return model.loss(batch, np.random.default_rng(seed)).scalar_value()


def advance_through(model, inputs: np.ndarray) -> np.ndarray:
    """Step by step: log P(next word), (T, B, V)."""
    state, steps = model.start(inputs.shape[1]), []
    for words in inputs:
        state, log_probs = model.advance(state, words.tolist())
        steps.append(log_probs)
    return np.stack(steps)
