"""Small models with Luong's decoder, attention to the past and coverage, each beside its twin in NumPy float64."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dynet as dy

from common.nn.parameters import DynetParameters
from tests import luong_reference as reference, rnn_reference as rnn
from tests.attention_models import H, NumpyModel, Settings, make_model

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
    "past": {"past_score": "combined", "layers": 2},
    "past single fed": {"past_score": "single", "readout": "attentional", "feed": "attentional", "cell": "gru"},
    "past covered": {"past_score": "combined", "coverage_model": "linguistic", "softmax": "untied", "feed": "nothing"},
    "linguistic": {"coverage_model": "linguistic"},
    "neural": {"coverage_model": "neural"},
    "neural local": {"coverage_model": "neural", "attention": "local", "window": 2, "feed": "nothing"},
    "linguistic fed": {"coverage_model": "linguistic", "readout": "attentional", "feed": "attentional"},
}


def model_of(name: str, **options: Any):
    """A model of one of the KINDS with random parameters."""
    return make_model(**({"layers": 1} | KINDS[name] | options))


def named(model) -> dict[str, dy.Parameters]:
    """Every parameter by its name. Where the softmax's matrix is the embedding, it is named that; and what attention to
    the past is put around has the name that it has alone."""
    tied = model.W_hs is model.embedding
    names = [name.replace(".inner.", ".") for name in DynetParameters(model).names()]
    names = ["embedding" if tied and name == "W_hs" else name for name in names]
    return dict(zip(names, model.collection.parameters_list(), strict=True))


class LuongTwin(NumpyModel):
    """The same model in NumPy; its arrays may be changed."""

    def __init__(self, model, name: str):
        self.settings = Settings(**({"hidden_size": H, "dropout": 0.0, "layers": 1} | KINDS[name]))
        self.parameters = named(model)
        self.weights = rnn.weights_of(self.parameters)

    def steps(self, source: Sequence[int], inputs: Sequence[int]) -> list[reference.Step]:
        """What the decoder computes after each of the inputs, having read the source."""
        return reference.decode(self.weights, self.settings, source, inputs)
