"""Small Transformers that translate, for tests, each beside its twin in NumPy float64."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chapters.transformer.translator import TransformerTranslator
from common.text.vocab import Vocabulary
from tests import rnn_reference, transformer_reference as reference
from tests.attention_models import SOURCE_WORDS, WORDS, NumpyModel
from tests.small_models import parameters_of

KINDS: list[dict[str, Any]] = [
    *({"positions": positions} for positions in ("sinusoidal", "learnt", "rotary", "none")),
    *({"norm": norm} for norm in ("post", "none")),
    {"heads": 1, "layers": 1, "inner_size": 3},
    {"heads": 4, "positions": "rotary", "norm": "post", "alignment_head": 5},
]


def make_model(seed: int = 5, scale: float = 0.6, **flags: Any) -> TransformerTranslator:
    """A small model; with `scale` its parameters are random numbers, without they start as in training.

    They are smaller without a norm, where the numbers grow from sum to sum.
    """
    settings = {"hidden_size": 8, "heads": 2, "layers": 2, "dropout": 0.0} | flags
    model = TransformerTranslator(Vocabulary(SOURCE_WORDS), Vocabulary(WORDS), **settings)
    if scale:
        scale = scale / 2 if flags.get("norm") == "none" else scale
        rnn_reference.randomise(parameters_of(model), scale, seed)
    return model


class Twin(NumpyModel):
    """The same model in NumPy; its arrays may be changed."""

    def __init__(self, model: TransformerTranslator, **flags: Any):
        self.kind = reference.Kind(**{name: value for name, value in flags.items() if name in reference.Kind._fields})
        self.parameters = reference.parameters_of(model)
        self.weights = rnn_reference.weights_of(self.parameters)

    def steps(self, source: Sequence[int], inputs: Sequence[int]) -> list[reference.Step]:
        """What the decoder computes after each of the inputs, having read the source."""
        return reference.run(self.weights, self.kind, inputs, source)
