"""Small models with Luong's decoder and with coverage, each beside its twin in NumPy float64."""

from __future__ import annotations

from typing import Any

import dynet as dy
import numpy as np

from common.nn.parameters import DynetParameters
from tests import luong_reference as reference
from tests.attention_models import SOURCES, TARGETS, H, Settings, make_model

KINDS: dict[str, dict[str, Any]] = {
    "attentional": {"readout": "attentional"},
    "attentional untied": {"readout": "attentional", "softmax": "untied", "score": "dot"},
    "input feeding": {"readout": "attentional", "feed": "attentional", "layers": 2},
    "nothing fed": {"feed": "nothing", "softmax": "untied"},
    "local-m": {"attention": "local-m", "window": 1},
    "local-m fed": {"attention": "local-m", "window": 2, "readout": "attentional", "feed": "attentional"},
    "forward": {"encoder": "forward", "layers": 2, "cell": "gru"},
    "luong": {
        **{"encoder": "reverse", "score": "bilinear", "attention": "local", "window": 2, "softmax": "untied"},
        **{"readout": "attentional", "feed": "attentional", "layers": 2},
    },
    "linguistic": {"coverage_model": "linguistic"},
    "neural": {"coverage_model": "neural"},
    "neural local": {"coverage_model": "neural", "attention": "local", "window": 2, "feed": "nothing"},
    "linguistic fed": {"coverage_model": "linguistic", "readout": "attentional", "feed": "attentional"},
}


def model_of(name: str, **options: Any):
    """A model of one of the KINDS with random parameters."""
    return make_model(**({"layers": 1} | KINDS[name] | options))


def named(model) -> dict[str, dy.Parameters]:
    """Every parameter by its name. Where the softmax's matrix is the embedding, it is named that."""
    tied = model.W_hs is model.embedding
    names = ["embedding" if tied and name == "W_hs" else name for name in DynetParameters(model).names()]
    return dict(zip(names, model.collection.parameters_list(), strict=True))


class LuongTwin:
    """The same model in NumPy. arrays: its parameters by name, in float64; they may be changed."""

    def __init__(self, model, name: str):
        self.settings = Settings(**({"hidden_size": H, "dropout": 0.0, "layers": 1} | KINDS[name]))
        self.parameters = named(model)
        self.arrays = {name: one.as_array().astype(np.float64) for name, one in self.parameters.items()}

    def steps(self, number: int) -> list[reference.Step]:
        """What the decoder computes while it is given the target of one of the pairs."""
        return reference.decode(self.arrays, self.settings, SOURCES[number], [0, *TARGETS[number]])

    def loss(self, number: int) -> float:
        """-log P of the target of one of the pairs and of its `</s>`."""
        steps = zip(self.steps(number), [*TARGETS[number], 0], strict=True)
        return -sum(step.log_probs[target] for step, target in steps)
