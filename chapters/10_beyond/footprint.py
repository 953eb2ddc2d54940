"""What the models of chapter 10 take of the memory in training, with the translations that they are trained on."""

from __future__ import annotations

from typing import Any

from common.memory import Footprint

from .objectives import LONGER, OBJECTIVES, SAMPLING, raml


def footprint(settings: Any, source_words: int, words: int) -> Footprint:
    """That of the model, for each pair with all of its candidates, of which the model's own may be longer."""
    _, network, parts = settings.network
    model = network.footprint(source_words, words)
    if parts.any_parts:
        from .rare_words import with_parts

        model = with_parts(model, words, parts.copying)
    if OBJECTIVES[settings.objective] not in (*SAMPLING, raml):
        return model
    n = settings.samples + 1
    words = n if OBJECTIVES[settings.objective] is raml else n * LONGER
    return model._replace(word=words * model.word, source=n * model.source, pair=words * model.pair)
