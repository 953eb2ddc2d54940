"""Small attentive language models for tests, and what is asked of them again and again."""

from __future__ import annotations

import importlib

import dynet as dy
import numpy as np

from common.text.batching import Batch, make_batch
from common.text.vocab import Vocabulary
from tests import attentive_reference as reference

AttentiveLM = importlib.import_module("chapters.06_attentive_lm.model").AttentiveLM

SCORES = ("single", "combined", "none")
ATTENTIVE = ("single", "combined")
V, H = 7, 3
SENTENCES = [[2, 3, 4, 1, 6], [5, 2], [], [3, 3, 2, 6]]  # of ids; of no word too
LONG = [0, 4, 2, 6, 3, 3, 5]  # inputs of seven steps


def vocabulary(size: int) -> Vocabulary:
    return Vocabulary(f"w{number}" for number in range(2, size))


def make_model(score: str, layers: int = 2, dropout: float = 0.0, scale: float = 1.0, **options):
    """A small model; with `scale` its parameters are random numbers, without they start as in training."""
    model = AttentiveLM(vocabulary(V), hidden_size=H, layers=layers, score=score, dropout=dropout, **options)
    if scale:
        reference.randomise(model, scale)
    return model


def whole_batch() -> Batch:
    return make_batch(SENTENCES, range(len(SENTENCES)))


def loss_of(model, batch: Batch) -> float:
    dy.renew_cg()
    return model.loss(batch).scalar_value()


def gradients(model, batch: Batch) -> dict[str, np.ndarray]:
    """The gradient of the loss of a batch for every parameter."""
    for parameter in [*model.collection.parameters_list(), *model.collection.lookup_parameters_list()]:
        parameter.scale_gradient(0)
    dy.renew_cg()
    loss = model.loss(batch)
    loss.forward()
    loss.backward()
    return {name: p.grad_as_array().astype(np.float64).copy() for name, p in reference.parameters_of(model).items()}


def column(ids: list[int]) -> np.ndarray:
    """The inputs of one sentence, (time, 1)."""
    return np.array(ids)[:, None]


def distributions(model, inputs: np.ndarray) -> np.ndarray:
    """log P(next word) at every step, (V, T, B), from the batched computation."""
    dy.renew_cg()
    log_probs = dy.log_softmax(model.logits(model.states(inputs))).npvalue()
    return log_probs.reshape(len(model.vocab), *inputs.shape, order="F")


def advance_through(model, inputs: np.ndarray) -> tuple[list, np.ndarray]:
    """Step by step: the states after each word, and log P(next word), (V, T, B)."""
    states, steps = [model.start(inputs.shape[1])], []
    for words in inputs:
        state, log_probs = model.advance(states[-1], words.tolist())
        states.append(state)
        steps.append(log_probs.T)
    return states, np.stack(steps, axis=1)
