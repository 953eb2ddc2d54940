"""What the models of chapter 11 take of the memory, by their sizes."""

from __future__ import annotations

from typing import Any

from common.memory import Footprint
from common.sizes import trained_bytes

from .positions import POSITIONS, TABLE, Learnt


def footprint(settings: Any, words: int) -> Footprint:
    """What the model takes, each word, and each pair of a step and one before it; words: in the vocabulary."""
    H, L, inner = settings.hidden_size, settings.layers, settings.inner_size * settings.hidden_size
    positions = TABLE * H if POSITIONS[settings.positions][0] is Learnt else 0
    parameters = words * (H + 1) + positions + L * (4 * H * H + 2 * H * inner + inner + H)
    turned = 6 * H if POSITIONS[settings.positions][1] else 0
    word = words + 6 * H + L * (26 * H + turned + 2 * inner)
    return Footprint(parameters, word, pair=4 * L * settings.heads, kept=2 * L * H, trained=trained_bytes(settings))
