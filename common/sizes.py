"""What a model will take of the memory, from its settings: before it is made, and for `memory.Footprint`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from common.memory import READ, TRAINED, Footprint


def check_memory(footprint: Footprint, data: Any, most_words: Callable[[int], int]) -> None:
    """Raises `UserError` where a model does not fit into the memory with each of the sentences, one by one. most_words:
    how many predictions of one sentence are trained on together, where the longest has so many."""
    for split in ("train", "dev", "test"):
        trained = split == "train"
        lengths = {(most_words(words) if trained else words, source) for words, source in data.lengths(split)}
        footprint.rows(1, *max(lengths, key=lambda length: footprint.sentence(*length)), trained)


def count_weights(cell: Any, size: int, layers: int) -> int:
    """How many parameters layers have that read vectors of their own size."""
    return layers * cell.block_count * size * (2 * size + 1)


def count_numbers(cell: Any, size: int, layers: int) -> int:
    """About how many numbers layers compute for each word, as was measured."""
    return 10 * layers * cell.block_count * size


def count_scores(settings: Any, words: int) -> int:
    """About how many numbers an output layer computes for each prediction: a cheaper softmax scores few words."""
    few = 3 * settings.samples + 4 * settings.hidden_size * words.bit_length()
    return min(words, few) if settings.scores_few else words


def trained_bytes(settings: Any) -> int:
    """Of a parameter in training; every end of an epoch that is averaged is one more copy."""
    return TRAINED.get(settings.optimiser, READ) + 8 * (getattr(settings, "average_epochs", 1) - 1)
