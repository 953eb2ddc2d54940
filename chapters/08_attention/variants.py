"""What flags change in the model: the kind of attention, what is made of state and context, fertilities.

Each is a file of its own. Only a model that has one of them loads this file (`Settings.varied`).
"""

from __future__ import annotations

from typing import Any

from .settings import ATTENTIONS, READOUTS, Settings


def vary(model: Any, settings: Settings, pace: float) -> None:
    """Exchange these parts of a model that is being made. pace: source words for each target word in training."""
    H = settings.hidden_size
    biased = settings.position_bias or settings.markov or settings.coverage_model != "none"
    if biased or settings.attention != "soft":
        from . import attention_variants

        kind = getattr(attention_variants, ATTENTIONS[settings.attention])
        model.attention = kind(model.collection, model.score, settings, pace)
    if READOUTS[settings.readout]:
        from .attentional_readout import AttentionalReadout

        model.readout = AttentionalReadout(model.collection, H, settings.init_scale)
    if settings.fertility:
        from .attention_penalties import Fertility

        model.fertility = Fertility(model.collection, H)
