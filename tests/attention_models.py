"""Small attentional models for tests, each beside its twin in NumPy float64."""

from __future__ import annotations

from collections.abc import Sequence

import dynet as dy
import numpy as np

from chapters.attention.model import AttentionalModel
from chapters.attention.settings import Settings as Settings
from common.nn.parameters import named_parameters
from common.text.batching import make_batch
from common.text.pairs import PairBatch, make_pair_batch
from common.text.trees import Parsed, parse_tree
from common.text.vocab import Vocabulary
from tests import luong_reference as reference, rnn_reference as rnn, small_models
from tests.small_models import parameters_of

CHAPTER = "08_attention"

CELLS = ("lstm", "gru", "rnn")
H = 4
SOURCE_WORDS, WORDS = ["hen", "ox", "sees", "waits"], ["ba", "do", "ku"]
IDS = [[2, 3, 4, 5, 2], [5], [4, 1, 2], [3, 3], [2, 5, 3, 4], [2, 3, 2, 3, 2, 3, 2]]  # of one and unknown words too
TREES = [
    "((hen ox) (sees (waits hen)))",
    "waits",
    "((sees mule) hen)",
    "(ox ox)",
    "(hen (waits (ox sees)))",
    "((((((hen ox) hen) ox) hen) ox) hen)",
]
SOURCES = [Parsed(ids, parse_tree(line, "here")[1]) for ids, line in zip(IDS, TREES, strict=True)]
TARGETS = [[2, 3], [4, 4, 3, 1], [], [2], [3, 2, 4], [4, 2]]


def make_model(seed: int = 5, scale: float = 0.8, **options):
    """A model of two layers whose parameters are random numbers; `scale` 0 leaves them as they start."""
    settings = {"hidden_size": H, "dropout": 0.0, "layers": 2} | options
    model = AttentionalModel(Vocabulary(SOURCE_WORDS), Vocabulary(WORDS), **settings)
    if scale:
        rnn.randomise(parameters_of(model), scale, seed)
    return model


def whole_batch(numbers: Sequence[int] = range(len(SOURCES))) -> PairBatch:
    return make_pair_batch([SOURCES[number] for number in numbers], make_batch(TARGETS, list(numbers)))


def loss_of(model, batch: PairBatch) -> float:
    dy.renew_cg()
    return model.loss(batch).scalar_value()


def gradients(model, batch: PairBatch, parameters: dict[str, dy.Parameters]) -> dict[str, np.ndarray]:
    """The gradient of the loss of a batch, for each of the parameters."""
    return small_models.gradients(model.collection, parameters, lambda: model.loss(batch))


class NumpyModel:
    """A model in NumPy, whose `weights` have names; its `steps` are left to the twin.

    fixed: the weights that have no gradient.
    """

    fixed: Sequence[str] = ()

    def steps_of(self, number: int) -> list:
        """What is computed at each step of one of the pairs, its target being read."""
        return self.steps(SOURCES[number], [0, *TARGETS[number]])

    def log_probs(self, number: int) -> list[float]:
        """log P of each word of the target and `</s>` of one of the pairs."""
        targets = [*TARGETS[number], 0]
        return [step.log_probs[target] for step, target in zip(self.steps_of(number), targets, strict=True)]

    def loss(self, number: int) -> float:
        """What training makes small, of one of the pairs."""
        return -sum(self.log_probs(number))


def named(model) -> dict[str, dy.Parameters]:
    """Every parameter by its name. Where the softmax's matrix is the embedding, it is named that; and what attention to
    the past is put around has the name that it has alone."""
    found = {name.replace(".inner.", "."): parameter for name, parameter in named_parameters(model)}
    return {name: parameter for name, parameter in found.items() if name != "W_hs" or parameter is not model.embedding}


class Twin(NumpyModel):
    """The same model in NumPy, options as for `make_model`; its arrays may be changed."""

    def __init__(self, model, **options):
        self.settings, self.parameters = Settings(**options), named(model)
        self.weights = rnn.weights_of(self.parameters)

    def steps(self, source: Sequence[int], inputs: Sequence[int]) -> list[reference.Step]:
        """What the decoder computes after each of the inputs, having read the source."""
        return reference.decode(self.weights, self.settings, source, inputs)
