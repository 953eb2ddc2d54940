"""Small Transformers that translate, for tests, each beside its twin in NumPy float64."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dynet as dy

from chapters.transformer.translator import TransformerTranslator
from common.text.vocab import Vocabulary
from tests import rnn_reference, translator_reference
from tests.attention_models import SOURCE_WORDS, WORDS, NumpyModel
from tests.small_models import parameters_of

KINDS: list[dict[str, Any]] = [
    *({"positions": positions} for positions in ("sinusoidal", "learnt", "rotary", "none")),
    *({"norm": norm} for norm in ("post", "none")),
    {"heads": 1, "layers": 1, "inner_size": 3},
    {"heads": 4, "positions": "rotary", "norm": "post", "alignment_head": 5},
]
OF_ATTENTION, OF_NETWORK = ("W_q", "W_k", "W_v", "W_o"), ("W_1", "b_1", "W_2", "b_2")


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
        chosen = {"heads": 2, "positions": "sinusoidal", "norm": "pre", "alignment_head": 0} | flags
        self.kind = translator_reference.Kind(
            len(model.decoder), *(chosen[name] for name in ("heads", "positions", "norm", "alignment_head"))
        )
        self.parameters: dict[str, dy.Parameters] = {
            "source E": model.source_embedding,
            "target E": model.embedding,
            "target b": model.b,
        }
        for side, positions in (("source", model.source_positions), ("target", model.positions)):
            if hasattr(positions, "table"):
                self.parameters[f"{side} table"] = positions.table
        for part, blocks in (("encoder", model.encoder), ("decoder", model.decoder)):
            for number, block in enumerate(blocks):
                named = {name: getattr(block.attention, name) for name in OF_ATTENTION}
                named |= {name: getattr(block, name) for name in OF_NETWORK}
                if part == "decoder":
                    named |= {f"source_{name}": getattr(block.to_source, name) for name in OF_ATTENTION}
                self.parameters |= {f"{part}{number} {name}": parameter for name, parameter in named.items()}
        self.weights = rnn_reference.weights_of(self.parameters)

    def steps(self, source: Sequence[int], inputs: Sequence[int]) -> list[translator_reference.Step]:
        """What the decoder computes after each of the inputs, having read the source."""
        return translator_reference.steps(self.weights, self.kind, source, inputs)
