"""Small recurrent language models for tests, and what is asked of them again and again."""

from __future__ import annotations

import importlib

import dynet as dy
import numpy as np

from common.text.batching import Batch, make_batch
from common.text.vocab import Vocabulary
from tests import rnn_reference as reference

CHAPTER = "05_rnn_lm"
RecurrentLM = importlib.import_module(f"chapters.{CHAPTER}.model").RecurrentLM

KINDS = ("rnn", "lstm-no-forget", "lstm", "gru")
V, H = 7, 3
SENTENCES = [[2, 3, 4, 1, 6], [5, 2], [], [3, 3, 2, 6]]  # of ids; of no word too
LONG = [0, 4, 2, 6, 3, 3, 5]  # inputs of seven steps


def vocabulary(size: int = V) -> Vocabulary:
    return Vocabulary(f"w{number}" for number in range(2, size))


def make_model(kind: str = "lstm", layers: int = 2, model_class: type = RecurrentLM, tied: bool = True, **options):
    """A small model whose parameters are random numbers."""
    chosen = {"cell": kind, "hidden_size": H, "layers": layers, "dropout": 0.0, "softmax": "tied" if tied else "untied"}
    model = model_class(vocabulary(), **chosen | options)
    reference.randomise(parameters_by_name(model), 0.8)
    return model


def parameters_by_name(model) -> dict[str, dy.Parameters]:
    """All of them, in order, whatever the model."""
    return {str(number): parameter for number, parameter in enumerate(model.collection.parameters_list())}


def whole_batch() -> Batch:
    return make_batch(SENTENCES, range(len(SENTENCES)))


def loss_of(model, batch: Batch, carried=None) -> float:
    dy.renew_cg()
    return model.loss(batch, carried)[0].scalar_value()


def gradients(model, batch: Batch, parameters: dict[str, dy.Parameters] | None = None) -> dict[str, np.ndarray]:
    """The gradient of the loss of a batch, for each of the parameters."""
    for parameter in model.collection.parameters_list():
        parameter.scale_gradient(0)
    dy.renew_cg()
    loss, _ = model.loss(batch)
    loss.forward()
    loss.backward()
    parameters = parameters or parameters_by_name(model)
    return {name: parameter.grad_as_array().astype(np.float64) for name, parameter in parameters.items()}


def column(ids: list[int]) -> np.ndarray:
    """The inputs of one sentence, (time, 1)."""
    return np.array(ids)[:, None]


def batch_of(inputs: np.ndarray, target: int) -> Batch:
    """A batch that asks for one and the same word at every step."""
    time, sentences = inputs.shape
    return Batch(inputs, np.full((time, sentences), target), np.ones((time, sentences)), np.arange(sentences))


def distributions(model, inputs: np.ndarray) -> np.ndarray:
    """log P(next word) at every step, (V, T, B), from the batched computation, word by word of the vocabulary."""
    return np.stack([model.log_probs(batch_of(inputs, word)) for word in range(len(model.vocab))])


def advance_through(model, inputs: np.ndarray) -> np.ndarray:
    """log P(next word), (V, T, B), step by step."""
    state, steps = model.start(inputs.shape[1]), []
    for words in inputs:
        state, log_probs = model.advance(state, words.tolist())
        steps.append(log_probs.T)
    return np.stack(steps, axis=1)
