"""How the source is read: the choices of --encoder, each with an annotation for every word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dynet as dy

from common.nn.encoders import BidirectionalEncoder, LinearEncoder


def bidirectional(collection: dy.ParameterCollection, settings: Any) -> BidirectionalEncoder:
    """[h_j from the left; h_j from the right], H/2 numbers each (Neubig 2017, Eq. 65 to 67; Bahdanau et al. 2015)."""
    return BidirectionalEncoder(collection, *sizes(settings), each=settings.hidden_size // 2)


def forward(collection: dy.ParameterCollection, settings: Any) -> LinearEncoder:
    """One network from the first word to the last; an annotation knows what stands before its word."""
    return LinearEncoder(collection, *sizes(settings))


def reverse(collection: dy.ParameterCollection, settings: Any) -> LinearEncoder:
    """One network from the last word to the first, whose states the decoder starts from (Luong et al. 2015)."""
    return LinearEncoder(collection, *sizes(settings), backward=True)


def sizes(settings: Any) -> tuple[str, int, int, float]:
    """What every encoder is made of."""
    return settings.cell, settings.hidden_size, settings.layers, settings.init_scale


ENCODERS: dict[str, Callable[[dy.ParameterCollection, Any], BidirectionalEncoder | LinearEncoder]] = {
    "bidirectional": bidirectional,
    "forward": forward,
    "reverse": reverse,
}
"""The choices of --encoder."""
