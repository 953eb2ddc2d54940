"""Chapter 8 in PyTorch: attention to a source, the mlp score, an attentional state, coverage, hard attention."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def attend(annotations: Tensor, query: Tensor, lengths: Tensor) -> Tensor:
    """The context of each sentence by the dot score: annotations (B, S, H), query (B, H), lengths (B,) -> (B, H)."""
    real = torch.arange(annotations.shape[1]) < lengths[:, None]
    query, mask = query[:, None], real[:, None]
    context = F.scaled_dot_product_attention(query, annotations, annotations, attn_mask=mask, scale=1.0)
    return context[:, 0]


def mlp_scores(w: nn.Linear, W_q: nn.Linear, keys: Tensor, query: Tensor) -> Tensor:
    """w_a2 . tanh(W_q h_t + keys) of all source words: keys (B, S, H), W_s of annotations; query (B, H) -> (B, S)."""
    return w(torch.tanh(keys + W_q(query)[:, None]))[..., 0]


def attentional(W_c: nn.Linear, hidden: Tensor, context: Tensor) -> Tensor:
    """State and context as one vector: (B, H) each -> (B, H)."""
    return torch.tanh(W_c(torch.cat([context, hidden], dim=-1)))


def covered_keys(keys: Tensor, V: nn.Linear, coverage: Tensor) -> Tensor:
    """The keys as the score reads them: keys (B, S, H), coverage (B, S, d) -> (B, S, H)."""
    return keys + V(coverage)


def add(coverage: Tensor, weights: Tensor, fertility: Tensor) -> Tensor:
    """Linguistic coverage after a step: coverage and fertility (B, S, 1), weights (B, S)."""
    return coverage + weights[..., None] / fertility


def one_word(weights: Tensor) -> Tensor:
    """1 for the word of the largest weight, 0 for the others; the gradient is that of the weights: (B, S) -> (B, S)."""
    hard = F.one_hot(weights.argmax(dim=-1), weights.shape[-1])
    return hard + weights - weights.detach()
