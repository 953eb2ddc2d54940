"""What chapter 11's translator takes of the memory, by its sizes."""

from __future__ import annotations

from typing import Any

from common.memory import Footprint
from common.sizes import trained_bytes

from .positions import POSITIONS, TABLE, Learnt


def footprint(settings: Any, source_words: int, words: int) -> Footprint:
    """What the model takes, each word of either side, and each pair of words, of two sides or of the same one.

    A source is taken to be about as long as its target.
    """
    H, L, inner = settings.hidden_size, settings.layers, settings.inner_size * settings.hidden_size
    positions = 2 * TABLE * H if POSITIONS[settings.positions][0] is Learnt else 0
    parameters = source_words * H + words * (H + 1) + positions + L * (12 * H * H + 4 * H * inner + 2 * (inner + H))
    turned = 6 * H if POSITIONS[settings.positions][1] else 0
    source = 6 * H + L * (26 * H + turned + 2 * inner)
    word = words + source + L * 14 * H
    pair, kept = 12 * L * settings.heads, 6 * L * H
    return Footprint(parameters, word, source, pair, kept, trained_bytes(settings))
