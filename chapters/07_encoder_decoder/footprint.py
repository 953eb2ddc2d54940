"""What the models of chapter 7 take of the memory, by their sizes."""

from __future__ import annotations

from typing import Any

from common.memory import Footprint
from common.nn.softmax import TIED
from common.nn.stacking import cell_class
from common.sizes import count_numbers, count_weights, trained_bytes


def footprint(settings: Any, source_words: int, words: int) -> Footprint:
    """What the model takes, each word of either side, and trees, as high as a sentence is long where
    the target is no shorter."""
    H, layers = settings.hidden_size, settings.layers
    cell = cell_class(settings.cell)
    weights, numbers = count_weights(cell, H, layers), count_numbers(cell, H, layers)
    bridge = layers * H * (H + 1)
    encoder = {
        "forward": weights,
        "reverse": weights,
        "bidirectional": 2 * (weights + bridge),
        "cnn": H * (settings.width * H + 1) + settings.kmax * bridge,
    }.get(settings.encoder, H * (13 * H + 5) + bridge)
    matrices = 1 if TIED[settings.softmax] else 2
    parameters = source_words * H + words * (matrices * H + 1) + weights + encoder
    read = {"forward": numbers, "reverse": numbers, "bidirectional": 2 * numbers, "cnn": 2 * settings.width * H}
    source = read.get(settings.encoder, 40 * H) + 14 * H
    pair = 0 if settings.encoder in read else 3 * H  # of trees
    return Footprint(parameters, words + numbers + 12 * H, source, pair, trained=trained_bytes(settings))
