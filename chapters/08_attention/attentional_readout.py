"""The attentional state: one vector of state and context, which the softmax reads (--readout attentional).

Letters in the shapes: H hidden size, T target time steps, B sentences in the batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dynet as dy


class AttentionalReadout:
    """h~_t = tanh(W_c [c_t; h_t]), the attentional state (Luong et al. 2015, Eq. 5), is all that the softmax reads.

    `W_c` (H, 2H).
    """

    def __init__(self, collection: dy.ParameterCollection, hidden_size: int, init_scale: float):
        self.W_c = collection.add_parameters((hidden_size, 2 * hidden_size), init=dy.UniformInitializer(init_scale))

    def attentional(self, hidden: dy.Expression, context: dy.Expression) -> dy.Expression:
        """h~_t, (H,) x B, from h_t and c_t, each (H,) x B."""
        return dy.tanh(self.W_c * dy.concatenate([context, hidden]))

    def __call__(self, states: Sequence[Any]) -> dy.Expression:
        """What the softmax reads of these steps, each a `DecoderState`: (H, T) x B."""
        return dy.concatenate_cols([state.attentional for state in states])
