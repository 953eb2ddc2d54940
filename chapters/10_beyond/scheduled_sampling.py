"""The objective of scheduled sampling. Only --objective scheduled loads this file and `mixing`."""

from __future__ import annotations

from typing import Any

import numpy as np

from common.text.pairs import PairBatch

from . import mixing
from .objectives import Cost, likelihood
from .settings import MIXINGS


def scheduled(model: Any, settings: Any, batch: PairBatch, progress: float, rng: np.random.Generator) -> Cost:
    """The likelihood, but some of the words that the decoder reads are its own, more and more (Bengio et al. 2015)."""
    own = 1 - getattr(mixing, MIXINGS[settings.mixing])(settings.own_words, progress)
    inputs = mixing.mixed_inputs(model, batch, own, rng)
    mixed = batch._replace(target=batch.target._replace(inputs=inputs))
    return likelihood(model, settings, mixed, progress, rng)
