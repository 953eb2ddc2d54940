"""What the models of chapter 4 take of the memory, by their sizes."""

from __future__ import annotations

from typing import Any

from common.memory import Footprint
from common.sizes import count_scores, trained_bytes


def footprint(settings: Any, words: int) -> Footprint:
    """What the model takes, and each prediction; words: in the vocabulary."""
    H, L = settings.hidden_size, settings.embedding_size or settings.hidden_size
    layers = settings.layers * H * (H + 1) + (settings.order - 1) * L * (H if settings.layers else words)
    parameters = words * (2 * max(L, H) + 1) + layers + L * H
    hidden = 2 * (settings.order - 1) * L + 3 * settings.layers * H
    return Footprint(parameters, hidden + count_scores(settings, words), trained=trained_bytes(settings))
