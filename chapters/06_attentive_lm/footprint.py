"""What the models of chapter 6 take of the memory, by their sizes."""

from __future__ import annotations

from typing import Any

from common.memory import Footprint
from common.nn.recurrent import LSTM
from common.sizes import count_numbers, count_scores, count_weights, trained_bytes


def footprint(settings: Any, words: int) -> Footprint:
    """What the model takes, each word, and each pair of a step and one before it; words: in the vocabulary."""
    H, matrices = settings.hidden_size, 2 if settings.scores_few else 1
    merge = 9 if settings.merge_layer == "feed-forward" else 5
    parameters = words * (matrices * H + 1) + count_weights(LSTM, H, settings.layers) + merge * H * H + 2 * H
    pair = {"none": 0, "single": 8}.get(settings.score, 3 * H + 8)
    word = count_scores(settings, words) + count_numbers(LSTM, H, settings.layers) + 16 * H
    carried = 2 * H if pair else 0
    if settings.memory_states:  # read in pieces, each step of which attends to so many states at most
        word, carried, pair = word + (settings.memory_states + settings.bptt) * pair, carried + pair, 0
    return Footprint(parameters, word, pair=pair, kept=carried, trained=trained_bytes(settings))
