"""Small encoder-decoders for tests, each beside its twin in NumPy float64."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np

from chapters.encoder_decoder import tree_encoders as tree_encoders_module
from chapters.encoder_decoder.model import EncoderDecoder
from chapters.encoder_decoder.settings import Settings as Settings
from common.text.vocab import Vocabulary
from tests import encoder_reference as reference, rnn_reference as rnn
from tests.attention_models import SOURCE_WORDS, SOURCES, TARGETS, WORDS, NumpyModel, named
from tests.small_models import parameters_of

TreeEncoder = tree_encoders_module.TreeEncoder

CHAPTER = "07_encoder_decoder"

ENCODERS = {
    "forward": {"encoder": "forward"},
    "reverse": {"encoder": "reverse"},
    "bidirectional": {"encoder": "bidirectional"},
    "cnn average": {"encoder": "cnn", "pooling": "average"},
    "cnn max": {"encoder": "cnn", "width": 2},
    "cnn kmax": {"encoder": "cnn", "pooling": "kmax", "kmax": 2},
    "recursive": {"encoder": "recursive"},
    "treelstm": {"encoder": "treelstm"},
}
H = 3
SHAPES = [((0, 1), (2, (3, 4))), 0, ((0, 1), 2), (0, 1), (0, (1, (2, 3))), ((((((0, 1), 2), 3), 4), 5), 6)]


def make_model(name: str = "bidirectional", seed: int = 5, scale: float = 0.8, **options):
    """A model with one of the ENCODERS whose parameters are random numbers."""
    settings = {"hidden_size": H, "dropout": 0.0, "layers": 2, "cell": "lstm"} | ENCODERS[name] | options
    model = EncoderDecoder(Vocabulary(SOURCE_WORDS), Vocabulary(WORDS), **settings)
    rnn.randomise(parameters_of(model), scale, seed)
    return model


class Twin(NumpyModel):
    """The same model in NumPy; its arrays may be changed."""

    def __init__(self, model, name: str, kind: str = "lstm"):
        self.name, self.kind, self.encoder, self.layers = name, kind, model.encoder, len(model.decoder.layers)
        self.parameters = named(model)
        self.weights = rnn.weights_of(self.parameters)

    def summary(self, words: Sequence[np.ndarray], shape: reference.Shape) -> np.ndarray:
        """What the bridge reads."""
        if self.name.startswith("cnn"):
            result = reference.filters(self.weights["encoder.W"], words, self.encoder.width)
            result = [np.tanh(column + self.weights["encoder.b"]) for column in result]
            return reference.pool(self.name.split()[1], result, self.encoder.kept)
        compose = reference.recursive if self.name == "recursive" else reference.tree_lstm
        return compose(rnn.part(self.weights, "encoder.composition."), words, shape)[0]

    def start(self, source: Sequence[int], shape: reference.Shape) -> list[rnn.State]:
        if self.name in ("forward", "reverse", "bidirectional"):
            return reference.annotate(self.weights, self.name, self.kind, source)[1]
        words = [self.weights["source_embedding"][word] for word in source]
        return reference.bridge(self.weights, self.kind, [self.summary(words, shape)] * self.layers)

    def steps_of(self, number: int) -> list[SimpleNamespace]:
        """log P of every next word, step by step, of one of the pairs."""
        start = self.start(SOURCES[number], SHAPES[number])
        steps = reference.decode(self.weights, self.kind, start, [0, *TARGETS[number]])
        return [SimpleNamespace(log_probs=step) for step in steps]
