"""Small models with Luong's decoder, attention to the past and coverage."""

from __future__ import annotations

from typing import Any

from tests.attention_models import make_model

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
