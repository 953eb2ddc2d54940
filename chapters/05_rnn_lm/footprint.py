"""What the models of chapter 5 take of the memory, by their sizes."""

from __future__ import annotations

from typing import Any

from common.memory import Footprint
from common.nn.stacking import cell_class
from common.sizes import count_numbers, count_scores, count_weights, trained_bytes


def footprint(settings: Any, words: int) -> Footprint:
    """What the model takes, and each word; words: in the vocabulary."""
    H, cell = settings.hidden_size, cell_class(settings.cell)
    matrices = 1 if settings.softmax == "tied" else 2
    variant = settings.pointer * H * (H + 2) + (settings.first_state == "learnt") * 2 * H * settings.layers
    parameters = words * (matrices * H + 1) + count_weights(cell, H, settings.layers) + variant
    word = count_scores(settings, words) + count_numbers(cell, H, settings.layers) + (12 + 4 * settings.pointer) * H
    return Footprint(parameters, word, pair=8 * settings.pointer, trained=trained_bytes(settings))
