"""Hard and local attention, coverage, priors and supervision, by hand (their laws: test_model_laws.py)."""

from __future__ import annotations

import dynet as dy
import numpy as np

from chapters.attention import (
    attention_priors as attention_priors_module,
    local_attention as local_attention_module,
)
from chapters.attention.settings import PRESETS
from common.nn.parameters import DynetParameters
from tests.attention_models import make_model

PositionBias = attention_priors_module.PositionBias


# --- the equations


def test_behind_the_sentence_the_diagonal_changes_nothing() -> None:
    """In search a target may get longer than any diagonal: then the last words stay as likely as they were."""
    collection = dy.ParameterCollection()  # it keeps the parameters alive
    bias = PositionBias(collection, pace=1.0)
    weights = [dy.softmax(bias.scores(4, step)).npvalue() for step in (3, 30)]
    np.testing.assert_allclose(*weights, atol=1e-6)


def test_the_monotonic_window_by_hand() -> None:
    """D = 1, sources of 4 and of 2 words: the place is t, and the last word once the source is over."""
    window = local_attention_module.MonotonicWindow(1)
    lengths = dy.inputTensor(np.array([4.0, 2.0]).reshape(1, 1, 2), batched=True)
    seen = [window.outside(step, lengths, 4).npvalue()[:, 0].T == 0 for step in (0, 1, 3, 9)]
    expected = ["1100 1100", "1110 1110", "0011 1110", "0011 1110"]
    assert [" ".join("".join("01"[int(item)] for item in row) for row in rows) for rows in seen] == expected
    wide = local_attention_module.MonotonicWindow(6)
    for step in range(30):  # no rounding lets a word D + 1 away in
        seen = wide.outside(step, dy.inputTensor([[40.0]]), 40).npvalue().ravel() == 0
        assert [place for place in range(1, 41) if seen[place - 1]] == list(range(max(1, step - 5), step + 8))


# --- learning, and what makes no sense


def test_the_preset_is_the_papers_model() -> None:
    """Its decoder, score and window; every parameter of it has a name of its own."""
    model = make_model(**(PRESETS["luong"] | {"layers": 1}))
    names = DynetParameters(model).names()
    assert {"readout.W_c", "attention.local.v", "score.W_a", "W_hs", "decoder.W_c.0"} <= set(names)
    assert len(set(names)) == len(names) and not [name for name in names if "backward" in name or name == "W_o"]
