"""What the flags of variants say beside the model: what excludes what, its name, the memory that it takes."""

from __future__ import annotations

from typing import Any

from common.errors import UserError
from common.memory import Footprint
from common.nn.softmax import TIED


def check(settings: Any) -> None:
    """Raises `UserError` for kinds of attention that exclude each other."""
    windowed = settings.attention.startswith("local")
    if windowed and (settings.position_bias or settings.markov):
        place = f"--attention {settings.attention} chooses its own place"
        raise UserError(f"{place}; leave --position-bias and --markov out")
    if settings.attention != "soft" and settings.supervised:
        raise UserError(f"--supervised: needs weights on all words; leave --attention {settings.attention} out")
    if settings.window != type(settings).window and not (settings.markov or windowed):
        raise UserError(
            f"--window {settings.window}: only --attention local, local-m and --markov have a window; leave it out"
        )
    if settings.feed == "attentional" and settings.readout == "plain":
        raise UserError(f"--feed {settings.feed}: there is no attentional state to feed; add --readout attentional")
    if settings.coverage_model != "none" and settings.score != "mlp":
        raise UserError(f"--coverage-model {settings.coverage_model}: only for the mlp score; leave --score out")
    if settings.subwords and (settings.symmetry or settings.supervised):
        raise UserError("--symmetry and --supervised compare words with words; leave --subwords out")


def describe(settings: Any) -> str:
    """The kind of attention in words, for the name of a model."""
    parts = ["attention" if settings.attention == "soft" else f"{settings.attention} attention"]
    parts += [name for name in ("position_bias", "markov", "fertility") if getattr(settings, name)]
    parts += [f"{settings.coverage_model} coverage"] if settings.coverage_model != "none" else []
    parts += [f"{settings.readout} state"] if settings.readout != "plain" else []
    parts += [f"{settings.past_score} score of the past"] if settings.past_score != "none" else []
    parts += [f"{settings.feed} fed"] if settings.feed != "context" else []
    return " + ".join(parts).replace("_", " ")


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
    model, H = settings.of_one_direction(source_words, words), settings.hidden_size
    if settings.past_score == "none":
        return model
    matrix = 0 if TIED[settings.softmax] else words * H
    pair = 8 if settings.past_score == "single" else 2 * H + 8
    parameters, word = model.parameters + 4 * H * H + H + matrix, model.word + 8 * H
    return model._replace(parameters=parameters, word=word, pair=model.pair + pair, kept=model.kept + 3 * H)
