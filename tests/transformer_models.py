"""Small Transformers for tests."""

from __future__ import annotations

from typing import Any

from chapters.transformer.model import TransformerLM
from tests import rnn_reference, transformer_reference
from tests.small_models import vocabulary

KINDS = [
    *({"positions": positions} for positions in ("sinusoidal", "learnt", "rotary", "none")),
    *({"norm": norm} for norm in ("post", "none")),
    {"heads": 1, "layers": 1, "inner_size": 3},
    {"heads": 4, "positions": "rotary", "norm": "post", "layers": 1},
]


def make_model(scale: float = 0.6, **flags: Any) -> TransformerLM:
    """A small model; with `scale` its parameters are random numbers, without they start as in training.

    They are smaller without a norm, where the numbers grow from sum to sum.
    """
    model = TransformerLM(vocabulary(), **{"hidden_size": 8, "heads": 2, "layers": 2, "dropout": 0.0} | flags)
    if scale:
        scale = scale / 2 if flags.get("norm") == "none" else scale
        rnn_reference.randomise(transformer_reference.parameters_of(model), scale)
    return model
