"""What the softmax reads of a step of the decoder, and what the next step reads beside its word.

Letters in the shapes: H hidden size, T target time steps, B sentences in the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import dynet as dy


class PlainReadout:
    """The softmax reads state and context as they are, [h_t; c_t] (Neubig 2017, Eq. 76).

    size: how many numbers it reads, 2H. combines: whether it makes one vector of the two.
    """

    combines = False

    def __init__(self, collection: dy.ParameterCollection, hidden_size: int, init_scale: float):
        self.size = 2 * hidden_size

    def attentional(self, hidden: dy.Expression, context: dy.Expression) -> None:
        """There is no state that combines the two."""

    def __call__(self, states: Sequence[Any]) -> dy.Expression:
        """What the softmax reads of these steps, each a `DecoderState`: (2H, T) x B."""
        hidden = dy.concatenate_cols([state.layers[-1].hidden for state in states])
        return dy.concatenate([hidden, dy.concatenate_cols([state.context for state in states])])


class AttentionalReadout:
    """h~_t = tanh(W_c [c_t; h_t]), the attentional state (Luong et al. 2015, Eq. 5), is all that the softmax reads.

    `W_c` (H, 2H). size: how many numbers the softmax reads, H.
    """

    combines = True

    def __init__(self, collection: dy.ParameterCollection, hidden_size: int, init_scale: float):
        self.size = hidden_size
        self.W_c = collection.add_parameters((hidden_size, 2 * hidden_size), init=dy.UniformInitializer(init_scale))

    def attentional(self, hidden: dy.Expression, context: dy.Expression) -> dy.Expression:
        """h~_t, (H,) x B, from h_t and c_t, each (H,) x B."""
        return dy.tanh(self.W_c * dy.concatenate([context, hidden]))

    def __call__(self, states: Sequence[Any]) -> dy.Expression:
        """What the softmax reads of these steps, each a `DecoderState`: (H, T) x B."""
        return dy.concatenate_cols([state.attentional for state in states])


READOUTS = {"plain": PlainReadout, "attentional": AttentionalReadout}
"""The choices of --readout."""


class Feed(NamedTuple):
    """What a step reads beside its word. vectors: how many, (H,) x B each; of: makes them of the last `DecoderState`.

    combined: whether an attentional state is among them, which a readout must have made.
    """

    vectors: int
    of: Callable[[Any], list[dy.Expression]]
    combined: bool = False


FEEDS = {
    "context": Feed(1, lambda state: [state.context]),
    "attentional": Feed(1, lambda state: [state.attentional], combined=True),
    "nothing": Feed(0, lambda state: []),
}
"""The choices of --feed.

"context": h_t = RNN([m_t; c_{t-1}], h_{t-1}) (Neubig 2017, Eq. 73). "attentional": h_t = RNN([m_t; h~_{t-1}], h_{t-1}),
input feeding (Luong et al. 2015, section 3.3). "nothing": h_t = RNN(m_t, h_{t-1}), as Luong et al. begin.
"""
