"""What the models of chapter 8 take of the memory, by their sizes."""

from __future__ import annotations

from typing import Any

from common.memory import Footprint
from common.nn.softmax import TIED
from common.nn.stacking import cell_class
from common.sizes import count_numbers, count_weights, trained_bytes


def footprint(settings: Any, source_words: int, words: int) -> Footprint:
    """What the model takes, each word of either side, and each pair of them; with --symmetry both models."""
    forward = covered(settings, source_words, words)
    if not settings.symmetry:
        return forward
    backward = covered(settings, words, source_words)
    return forward._replace(
        parameters=forward.parameters + backward.parameters,
        word=forward.word + backward.source,
        source=forward.source + backward.word,
        pair=forward.pair + backward.pair,
    )


def covered(settings: Any, source_words: int, words: int) -> Footprint:
    """The same of a single model, with the coverage model if there is one: keys with coverage, and what makes it."""
    model, H = with_past(settings, source_words, words), settings.hidden_size
    if settings.coverage_model == "none":
        return model
    from .coverage import LinguisticCoverage, NeuralCoverage

    numbers = (NeuralCoverage if settings.coverage_model == "neural" else LinguisticCoverage).numbers
    parameters, pair = model.parameters + 8 * numbers * H, model.pair + 3 * H + 24 * numbers
    return model._replace(parameters=parameters, pair=pair, kept=model.kept + 4 * numbers)


def with_past(settings: Any, source_words: int, words: int) -> Footprint:
    """The same without the coverage model, but with attention to the past if there is one. A source is taken to be
    about as long as its target: a pair of steps is counted with that of a step and a source word."""
    model, H = plain(settings, source_words, words), settings.hidden_size
    if settings.past_score == "none":
        return model
    matrix = 0 if TIED[settings.softmax] else words * H
    pair = 8 if settings.past_score == "single" else 2 * H + 8
    parameters, word = model.parameters + 4 * H * H + H + matrix, model.word + 8 * H
    return model._replace(parameters=parameters, word=word, pair=model.pair + pair, kept=model.kept + 3 * H)


def plain(settings: Any, source_words: int, words: int) -> Footprint:
    """The same of a single model without variants."""
    H, layers = settings.hidden_size, settings.layers
    cell = cell_class(settings.cell)
    weights, numbers = count_weights(cell, H, layers), count_numbers(cell, H, layers)
    matrices = 1 if TIED[settings.softmax] else 3
    parameters = source_words * H + words * (matrices * H + 1) + 2 * weights + (11 + layers) * H * H
    pair = 2 * H * (settings.score not in ("bilinear", "dot")) + 16
    trained = trained_bytes(settings)
    return Footprint(parameters, words + numbers + 16 * H, numbers + 16 * H, pair, 2 * H + 2, trained)
