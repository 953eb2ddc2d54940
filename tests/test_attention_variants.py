"""The window of local attention, and the preset of its paper (their laws: test_model_laws.py)."""

from __future__ import annotations

import dynet as dy

from chapters.attention import local_attention as local_attention_module
from chapters.attention.presets import PRESETS
from common.nn.parameters import DynetParameters
from tests.attention_models import make_model


def test_no_rounding_lets_a_word_into_the_monotonic_window() -> None:
    wide = local_attention_module.MonotonicWindow(6)
    for step in range(30):
        seen = wide.outside(step, dy.inputTensor([[40.0]]), 40).npvalue().ravel() == 0
        assert [place for place in range(1, 41) if seen[place - 1]] == list(range(max(1, step - 5), step + 8))


def test_the_preset_is_the_papers_model() -> None:
    """Its decoder, score and window; every parameter of it has a name of its own."""
    model = make_model(**(PRESETS["luong"] | {"layers": 1}))
    names = DynetParameters(model).names()
    assert {"readout.W_c", "attention.local.v", "score.W_a", "W_hs", "decoder.W_c.0"} <= set(names)
    assert len(set(names)) == len(names) and not [name for name in names if "backward" in name or name == "W_o"]
