"""Scheduled sampling: target words that the model reads in training, some the reference's, some its own.

The choices of --mixing are functions of `share` and `progress`: epsilon, the share of the reference's words, where own
words are to have `share` at the end. progress: 0 at the first epoch of the objective, 1 behind the last one.
"""

from __future__ import annotations

import math
from typing import Any

import dynet as dy
import numpy as np

from common.text.pairs import PairBatch
from common.text.vocab import Vocabulary

from .sampling import draw_words, sources_of

STEEPNESS = 8.0
"""k of the inverse sigmoid: how long the share of own words stays small before it grows."""


def linear(share: float, progress: float) -> float:
    """epsilon = 1 - c i (Bengio et al. 2015)."""
    return 1 - share * progress


def exponential(share: float, progress: float) -> float:
    """epsilon = k^i with k = 1 - share, so that it falls fast at first (Bengio et al. 2015)."""
    return (1 - share) ** progress


def inverse_sigmoid(share: float, progress: float) -> float:
    """epsilon = k / (k + exp(i / k)), with i counted so that it ends at 1 - share (Bengio et al. 2015).

    It begins at k / (k + 1). A share below 1 / (k + 1) is there from the beginning.
    """
    if share <= 1 / (STEEPNESS + 1):
        return 1 - share
    end = math.log(STEEPNESS * share / (1 - share))
    return STEEPNESS / (STEEPNESS + math.exp(end * progress))


def constant(share: float, progress: float) -> float:
    """Always 1 - share."""
    return 1 - share


def mixed_inputs(model: Any, batch: PairBatch, own: float, rng: np.random.Generator) -> np.ndarray:
    """The words that the decoder reads, (T, B): each the reference's, or with probability `own` one drawn by the model.

    It is drawn given what the decoder has read so far, own words and the reference's. Where the model would end the
    sentence, the reference's word stays. No gradient goes through the choice of a word.
    """
    inputs = batch.target.inputs.copy()
    own_here = rng.random(inputs.shape) < own
    own_here[0] = False  # every sentence begins with <s>
    if not own_here.any():
        return inputs
    dy.renew_cg()
    state = model.encode(sources_of(batch))
    for t in range(1, len(inputs)):
        state, log_probs = model.next_words(state, inputs[t - 1].tolist())
        own_words = draw_words(log_probs)
        inputs[t] = np.where(own_here[t] & (own_words != Vocabulary.boundary), own_words, inputs[t])
    return inputs
