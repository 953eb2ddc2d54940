"""What the flags choose in the model: encoder, score, what a step reads of the last one; and where the variants are.

A variant of the attention or of the readout has a file of its own, which is loaded only where it is chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import dynet as dy

from common.nn.bidirectional import BidirectionalEncoder
from common.nn.encoders import LinearEncoder
from common.nn.source_attention import SCORES, Attention, Score

if TYPE_CHECKING:
    from .attention_penalties import Fertility
    from .attentional_readout import AttentionalReadout

LOCAL = {"local": "LocalAttention", "local-m": "MonotonicAttention"}
"""The choices of --attention that have a window of their own."""

ATTENTIONS = {"soft": "BiasedAttention", "hard": "HardAttention", **LOCAL}
"""The choices of --attention: classes of `attention_variants`. "soft" without biases is `attention.Attention`."""

COVERAGES = {"none": None, "linguistic": "LinguisticCoverage", "neural": "NeuralCoverage"}
"""The choices of --coverage-model: classes of `coverage`."""

READOUTS = {"plain": False, "attentional": True}
"""The choices of --readout: whether state and context become one vector, by an `attentional_readout`."""


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


def make_score(collection: dy.ParameterCollection, settings: Any) -> Score:
    """The attention score that the settings name."""
    return SCORES[settings.score](collection, settings.hidden_size, settings.init_scale)


def make_attention(collection: dy.ParameterCollection, score: Score, settings: Any, pace: float) -> Attention:
    """The attention that the settings describe. pace: source words for each target word in the training pairs."""
    biased = settings.position_bias or settings.markov or settings.coverage_model != "none"
    if settings.attention == "soft" and not biased:
        return Attention(score)
    from . import attention_variants

    return getattr(attention_variants, ATTENTIONS[settings.attention])(collection, score, settings, pace)


def make_readout(collection: dy.ParameterCollection, settings: Any) -> AttentionalReadout | None:
    """What combines state and context, if --readout has one."""
    if not READOUTS[settings.readout]:
        return None
    from .attentional_readout import AttentionalReadout

    return AttentionalReadout(collection, settings.hidden_size, settings.init_scale)


def make_fertility(collection: dy.ParameterCollection, settings: Any) -> Fertility | None:
    """What --fertility learns of the source words, if anything."""
    if not settings.fertility:
        return None
    from .attention_penalties import Fertility

    return Fertility(collection, settings.hidden_size)


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
