"""What the benchmarks of chapters 8 and 9 share: a bidirectional encoder, MLP scores, a decoder of contexts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tools.bench.pairs import PairSettings, PairWorkload
from tools.bench.sides import of_layers

if TYPE_CHECKING:
    import dynet as dy

    from common.nn.context_decoder import ContextDecoder
    from common.nn.encoders import BidirectionalEncoder
    from common.nn.source_attention import MLPScore


def shared_parameters(
    encoder: BidirectionalEncoder, decoder: ContextDecoder, scores: Sequence[MLPScore]
) -> dict[str, dy.Parameters]:
    """The parameters of both models' parts under the names that `attending_torch` knows."""
    found = of_layers("encoder_forward", encoder.forward.stack.layers)
    found |= of_layers("encoder_backward", encoder.backward.stack.layers)
    found |= of_layers("decoder", decoder.layers)
    for number, (W, b) in enumerate(zip(encoder.bridge.W, encoder.bridge.b, strict=True)):
        found |= {f"bridge{number}_W": W, f"bridge{number}_b": b}
    for number, (score, W_c) in enumerate(zip(scores, decoder.W_c, strict=True)):
        found |= {f"score{number}_{part}": getattr(score, part) for part in ("W_query", "W_source", "w")}
        found[f"W_c{number}"] = W_c
    return found


def attending_flops(settings: PairSettings, workload: PairWorkload, attentions: int, a_target_word: float) -> float:
    """`PairWorkload.flops_per_token` of a model that attends to the source in so many ways.

    a_target_word: multiplications for a target word, without the decoder's LSTM and the attention to the source.
    """
    H, layers = settings.hidden_size, settings.layers
    half = H // 2
    one_direction = 4 * half * (H + half) + (layers - 1) * 4 * half * 2 * half
    decoder = 4 * H * (2 + attentions) * H + (layers - 1) * 8 * H * H
    return workload.flops_per_token(
        a_source_word=2 * one_direction + attentions * H * H,  # and its keys
        a_sentence=layers * H * H,  # the bridge
        a_target_word=decoder + a_target_word,
        a_look=attentions * 2 * H,  # a score and a share of the context
    )
