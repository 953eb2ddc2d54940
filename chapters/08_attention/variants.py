"""What flags change in the model: the kind of attention, what is made of state and context, the past, fertilities.

Only a model that has one of them loads this file (`Settings.varied`). Letters in the shapes: H hidden size, T target
time steps, B sentences in the batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dynet as dy

from .settings import ATTENTIONS, PAST_SCORES, READOUTS, Settings


class AttentionalReadout:
    """h~_t = tanh(W_c [c_t; h_t]), the attentional state (Luong et al. 2015, Eq. 5), is all that the softmax reads.

    `W_c` (H, 2H). size: how many numbers the softmax reads, H.
    """

    def __init__(self, collection: dy.ParameterCollection, hidden_size: int, init_scale: float):
        self.size = hidden_size
        self.W_c = collection.add_parameters((hidden_size, 2 * hidden_size), init=dy.UniformInitializer(init_scale))

    def attentional(self, hidden: dy.Expression, context: dy.Expression) -> dy.Expression:
        """h~_t, (H,) x B, from h_t and c_t, each (H,) x B."""
        return dy.tanh(self.W_c * dy.concatenate([context, hidden]))

    def __call__(self, states: Sequence[Any]) -> dy.Expression:
        """What the softmax reads of these steps, each a `DecoderState`: (H, T) x B."""
        return dy.concatenate_cols([state.attentional for state in states])


def vary(model: Any, settings: Settings, pace: float) -> None:
    """Exchange these parts of a model that is being made. pace: source words for each target word in training."""
    H = settings.hidden_size
    biased = settings.position_bias or settings.markov or settings.coverage_model != "none"
    if biased or settings.attention != "soft":
        from . import attention_variants

        kind = getattr(attention_variants, ATTENTIONS[settings.attention])
        model.attention = kind(model.collection, model.score, settings, pace)
    if READOUTS[settings.readout]:
        model.readout = AttentionalReadout(model.collection, H, settings.init_scale)
    past = PAST_SCORES[settings.past_score]
    if past:
        from .own_past import PastReadout, RememberingAttention

        model.attention = RememberingAttention(model.attention)
        model.readout = PastReadout(model.collection, model.readout, past, H, settings.init_scale)
    if settings.fertility:
        from .attention_penalties import Fertility

        model.fertility = Fertility(model.collection, H)
