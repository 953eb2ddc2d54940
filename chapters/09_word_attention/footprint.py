"""What the models of chapter 9 take of the memory, by their sizes."""

from __future__ import annotations

from typing import Any

from common.memory import Footprint
from common.nn.stacking import cell_class
from common.sizes import count_numbers, count_weights, trained_bytes


def footprint(settings: Any, source_words: int, words: int) -> Footprint:
    """What the model takes, each word of either side, and each pair of them."""
    if settings.system != "word-attention":
        return settings.module.footprint(settings, source_words, words)
    H, layers, cell = settings.hidden_size, settings.layers, cell_class(settings.cell)
    contexts = 1 if settings.variant == "rnnsearch" else 2
    weights, numbers = count_weights(cell, H, layers), count_numbers(cell, H, layers)
    parameters = source_words * H + words * (H + 1) + 2 * weights + (13 * contexts + layers) * H * H
    source, pair, lasting = numbers + 20 * H, contexts * (2 * H + 8), contexts * (2 * H + 2)
    return Footprint(parameters, words + numbers + 30 * H, source, pair, lasting, trained_bytes(settings))
