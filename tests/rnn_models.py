"""Small recurrent language models for tests, and what is asked of them again and again."""

from __future__ import annotations

import dynet as dy
import numpy as np

from chapters.rnn_lm.model import RecurrentLM
from common.nn.stacking import CELLS
from common.text.batching import Batch
from tests import rnn_reference as reference, small_models
from tests.small_models import H, parameters_of, vocabulary

CHAPTER = "05_rnn_lm"

KINDS = tuple(CELLS)


def make_model(kind: str = "lstm", layers: int = 2, model_class: type = RecurrentLM, tied: bool = True, **options):
    """A small model whose parameters are random numbers."""
    settings = {
        "cell": kind,
        "hidden_size": H,
        "layers": layers,
        "dropout": 0.0,
        "softmax": "tied" if tied else "untied",
    }
    model = model_class(vocabulary(), **settings | options)
    reference.randomise(parameters_of(model), 0.8)
    return model


def loss_of(model, batch: Batch, carried=None) -> float:
    dy.renew_cg()
    return model.loss(batch, carried)[0].scalar_value()


def gradients(model, batch: Batch, parameters: dict[str, dy.Parameters] | None = None) -> dict[str, np.ndarray]:
    """The gradient of the loss of a batch, for each of the parameters."""
    parameters = parameters or parameters_of(model)
    return small_models.gradients(model.collection, parameters, lambda: model.loss(batch)[0])


def batch_of(inputs: np.ndarray, target: int) -> Batch:
    """A batch that asks for one and the same word at every step."""
    time, sentences = inputs.shape
    return Batch(inputs, np.full((time, sentences), target), np.ones((time, sentences)), np.arange(sentences))


def advance_through(model, inputs: np.ndarray) -> np.ndarray:
    """log P(next word), (V, T, B), step by step."""
    state, steps = model.start(inputs.shape[1]), []
    for words in inputs:
        state, log_probs = model.advance(state, words.tolist())
        steps.append(log_probs.T)
    return np.stack(steps, axis=1)
