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
from tests.attention_models import SOURCE_WORDS, SOURCES, TARGETS, WORDS, NumpyModel
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
        self.name, self.kind = name, kind
        self.parameters = {"source": model.source_embedding, "target": model.embedding, "b_s": model.b_s}
        if model.W_hs is not model.embedding:
            self.parameters["W_hs"] = model.W_hs
        self._stack("decoder", model.decoder)
        encoder = model.encoder
        if name in ("forward", "reverse"):
            self._stack("encoder", encoder.stack)
        elif name == "bidirectional":
            self._stack("ahead", encoder.forward.stack)
            self._stack("back", encoder.backward.stack)
        elif name.startswith("cnn"):
            self.encoder = encoder
            self.parameters |= {"filters W": encoder.W, "filters b": encoder.b}
        elif isinstance(encoder, TreeEncoder):
            self.parameters |= {f"tree {key}": getattr(encoder.composition, key) for key in ("W_x", "W_lr", "b")}
        if hasattr(encoder, "bridge"):
            for letter in "Wb":
                for layer, parameter in enumerate(getattr(encoder.bridge, letter)):
                    self.parameters[f"bridge {letter}{layer}"] = parameter
        self.weights = rnn.weights_of(self.parameters)
        self.layers = len(model.decoder.layers)

    def _stack(self, name: str, stack) -> None:
        for number, layer in enumerate(stack.layers):
            for key, parameter in rnn.layer_parameters(self.kind, layer).items():
                self.parameters[f"{name}{number} {key}"] = parameter

    def summary(self, words: Sequence[np.ndarray], shape: reference.Shape) -> list[np.ndarray]:
        """What the bridge reads, one per layer."""
        if self.name == "bidirectional":
            _, last = reference.recurrent(self.kind, self.stack("ahead"), words)
            _, first = reference.recurrent(self.kind, self.stack("back"), words[::-1])
            return [np.concatenate([this[0], other[0]]) for this, other in zip(last, first, strict=True)]
        if self.name.startswith("cnn"):
            result = reference.filters(self.weights["filters W"], words, self.encoder.width)
            result = [np.tanh(column + self.weights["filters b"]) for column in result]
            return [reference.pool(self.name.split()[1], result, self.encoder.kept)] * self.layers
        compose = reference.recursive if self.name == "recursive" else reference.tree_lstm
        return [compose(self.part("tree"), words, shape)[0]] * self.layers

    def start(self, source: Sequence[int], shape: reference.Shape) -> list[rnn.State]:
        words = [self.weights["source"][word] for word in source]
        if self.name in ("forward", "reverse"):
            in_order = words if self.name == "forward" else words[::-1]
            return reference.recurrent(self.kind, self.stack("encoder"), in_order)[1]
        result = self.summary(words, shape)
        return [reference.bridge(self.kind, self.part("bridge"), layer, item) for layer, item in enumerate(result)]

    def steps_of(self, number: int) -> list[SimpleNamespace]:
        """log P of every next word, step by step, of one of the pairs."""
        E, b_s = self.weights["target"], self.weights["b_s"]
        start = self.start(SOURCES[number], SHAPES[number])
        W_hs = self.weights.get("W_hs", E)
        steps = reference.decode(self.kind, self.stack("decoder"), E, W_hs, b_s, start, [0, *TARGETS[number]])
        return [SimpleNamespace(log_probs=step) for step in steps]
