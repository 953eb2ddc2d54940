"""The model that this chapter trains: a new one of chapter 7, 8 or 9, or with --start-from that of a finished run."""

from __future__ import annotations

from typing import Any

from common.training.setup import Setup
from common.training.start_bias import START_BIASES

from .networks import make


def begin_model(setup: Setup) -> Any:
    """The model before the first epoch: a new one, or with --start-from that of another run."""
    settings = setup.settings
    if settings.start_from:
        from .past_model import continue_model

        return continue_model(setup.folder, settings)
    model, _ = make(setup.folder, *settings.network)
    bias = START_BIASES[settings.bias](setup.data.train_targets, len(setup.vocab))
    if bias is not None:
        model.b_s.set_value(bias)
    return model
