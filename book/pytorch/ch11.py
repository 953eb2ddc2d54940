"""Chapter 11 in PyTorch: attention of several heads, a block, and a block of a decoder."""

from __future__ import annotations

from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def attend(queries: Tensor, keys: Tensor, values: Tensor, heads: int) -> Tensor:
    """What each position receives from itself and from those before it, before W_o: all (B, T, H) -> (B, T, H)."""
    queries, keys, values = (x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in (queries, keys, values))
    contexts = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    return contexts.transpose(1, 2).flatten(2)


def make_block(weights: Mapping[str, Tensor], heads: int) -> nn.TransformerEncoderLayer:
    """The same block as a layer of PyTorch, which also has biases and learnt norms: they start at 0 and 1.

    weights: W_q, W_k, W_v, W_o, W_1, b_1, W_2, b_2 of a block. Its `src_mask` is that of `causal_mask`.
    """
    inner, size = weights["W_1"].shape
    layer = nn.TransformerEncoderLayer(size, heads, inner, dropout=0.0, batch_first=True, norm_first=True)
    matrices = {"linear1.weight": "W_1", "linear1.bias": "b_1", "linear2.weight": "W_2", "linear2.bias": "b_2"}
    start = {place: weights[name] for place, name in (matrices | {"self_attn.out_proj.weight": "W_o"}).items()}
    start["self_attn.in_proj_weight"] = torch.cat([weights[name] for name in ("W_q", "W_k", "W_v")])
    layer.load_state_dict({name: torch.as_tensor(array) for name, array in start.items()}, strict=False)
    return layer


def make_decoder_block(weights: Mapping[str, Tensor], heads: int) -> nn.TransformerDecoderLayer:
    """A block of the translator's decoder as a layer of PyTorch, which also has biases and learnt norms.

    weights: as for `make_block`, and source_W_q, source_W_k, source_W_v, source_W_o of the attention to the source. Its
    `memory_key_padding_mask`, (B, S), is true on padding.
    """
    inner, size = weights["W_1"].shape
    layer = nn.TransformerDecoderLayer(size, heads, inner, dropout=0.0, batch_first=True, norm_first=True)
    matrices = {"linear1.weight": "W_1", "linear1.bias": "b_1", "linear2.weight": "W_2", "linear2.bias": "b_2"}
    start = {place: weights[name] for place, name in matrices.items()}
    for place, kind in (("self_attn", ""), ("multihead_attn", "source_")):
        start[f"{place}.in_proj_weight"] = torch.cat([weights[f"{kind}{name}"] for name in ("W_q", "W_k", "W_v")])
        start[f"{place}.out_proj.weight"] = weights[f"{kind}W_o"]
    layer.load_state_dict({name: torch.as_tensor(array) for name, array in start.items()}, strict=False)
    return layer


def causal_mask(time: int) -> Tensor:
    """Minus infinity where a position, a row, may not attend; 0 elsewhere: (T, T)."""
    return nn.Transformer.generate_square_subsequent_mask(time)
