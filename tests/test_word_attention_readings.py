"""Word attention as the poster prints it and as we read it: each equals its equations, gradients too.

Eq. 1 has s_{i-1} alone as the query (`--query state`), Eq. 4 the contexts themselves (`--output-contexts plain`). The
reference in NumPy float64 reads the equations either way, and with a scale and a bias of the gate.
"""

from __future__ import annotations

import numpy as np
import pytest

from common.chapters import chapter_module
from tests.attention_models import loss_of, whole_batch
from tests.small_models import parameters_of
from tests.word_attention_models import (
    CHAPTER,
    VARIANTS,
    H,
    Settings,
    Twin,
    make_model,
)
from tests.word_attention_reference import Reading

PRESETS = chapter_module(CHAPTER, "presets").PRESETS


@pytest.mark.parametrize("preset", ["printed", "printed-headlines"])
def test_the_printed_presets_are_the_equations_as_printed(preset: str) -> None:
    """To which the laws of models hold the reading "gates plain state"."""
    options = PRESETS[preset] | {"dropout": 0.0, "hidden_size": 2, "layers": 1}
    twin = Twin(make_model(**options))
    assert Settings(**options).variant == "gates"
    assert twin.reading == Reading() and "b_o" not in twin.parameters


def test_what_belongs_to_gates_says_nothing_where_there_are_none() -> None:
    for variant in VARIANTS[:2]:
        plain = make_model(variant)
        other = make_model(variant, output_contexts="plain", gate_scale=2.0, gate_bias=1.0)
        assert plain.name == other.name and len(parameters_of(plain)) == len(parameters_of(other))
        assert loss_of(plain, whole_batch()) == loss_of(other, whole_batch())


def test_the_bias_of_the_gate_starts_as_asked() -> None:
    np.testing.assert_allclose(make_model(scale=0, gate_bias=-1.5).b_o.as_array(), np.full(H, -1.5))
    assert make_model(scale=0).b_o is None


def test_a_flag_of_no_system_in_particular_is_free() -> None:
    assert Settings(system="abs", hidden_size=H, dropout=0.3, layers=2).layers == 2
