"""The attention that the flags describe: that of attention.py, or a variant, whose file is loaded only where chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dynet as dy

from common.nn.attention import Score
from common.nn.source_attention import SCORES

from .attention import Attention
from .settings import ATTENTIONS

if TYPE_CHECKING:
    from .attention_penalties import Fertility


def make_attention(collection: dy.ParameterCollection, score: Score, settings: Any, pace: float) -> Attention:
    """The attention that the settings describe. pace: source words for each target word in the training pairs."""
    biased = settings.position_bias or settings.markov or settings.coverage_model != "none"
    if settings.attention == "soft" and not biased:
        return Attention(score)
    from . import attention_variants

    return getattr(attention_variants, ATTENTIONS[settings.attention])(collection, score, settings, pace)


def make_fertility(collection: dy.ParameterCollection, settings: Any) -> Fertility | None:
    """What --fertility learns of the source words, if anything."""
    if not settings.fertility:
        return None
    from .attention_penalties import Fertility

    return Fertility(collection, settings.hidden_size)


def make_score(collection: dy.ParameterCollection, settings: Any) -> Score:
    """The attention score that the settings name."""
    return SCORES[settings.score](collection, settings.hidden_size, settings.init_scale)


def describe(settings: Any) -> str:
    """The kind of attention in words, for the name of a model: different for all that have other parameters, but for
    the window of --markov."""
    parts = ["attention" if settings.attention == "soft" else f"{settings.attention} attention"]
    parts += [name for name in ("position_bias", "markov", "fertility") if getattr(settings, name)]
    parts += [f"{settings.coverage_model} coverage"] if settings.coverage_model != "none" else []
    parts += [f"{settings.readout} state"] if settings.readout != "plain" else []
    parts += [f"{settings.feed} fed"] if settings.feed != "context" else []
    parts += [f"{settings.encoder} encoder"] if settings.encoder != "bidirectional" else []
    return " + ".join(parts).replace("_", " ") + f", {settings.score}"
