"""What the flags of variants say beside the model: what excludes what, and its name."""

from __future__ import annotations

from typing import Any

from common.errors import UserError


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
