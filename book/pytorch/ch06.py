"""The attentive language model of chapter 6 in PyTorch.

Letters in the shapes: B sentences, T steps, H hidden size, V vocabulary. A row of scores or weights belongs to the step
that attends, a column to the state that it attends to.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


def combined_scores(v: Tensor, W: Tensor, W_q: Tensor, states: Tensor) -> Tensor:
    """v . tanh(W h_i + W_q h_t) of every pair (Salton et al. 2017, Eq. 10).

    v (H,), W and W_q (H, H), states (B, T, H) -> (B, T, T).
    """
    keys, queries = states @ W.T, states @ W_q.T
    return torch.tanh(queries[:, :, None] + keys[:, None]) @ v


def causal_weights(scores: Tensor) -> Tensor:
    """Softmax over the past (Salton et al. 2017, Eq. 4): (B, T, T) -> (B, T, T), the first row zero."""
    past = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril(diagonal=-1)
    weights = scores.masked_fill(~past, float("-inf")).softmax(dim=-1)
    return weights.nan_to_num()  # the first step has no past: a softmax over nothing


def logits(
    words: Tensor, embedding: nn.Embedding, lstm: nn.LSTM, score: list[Tensor], merge: nn.Linear, bias: Tensor
) -> Tensor:
    """The scores of the next word at every step (Eq. 2 to 8): word ids (B, T) -> (B, T, V).

    score: v, W and W_q of the combined score. lstm: with batch_first=True.
    """
    states, _ = lstm(embedding(words))
    contexts = causal_weights(combined_scores(*score, states)) @ states
    merged = torch.tanh(merge(torch.cat([states, contexts], dim=-1)))
    return functional.linear(merged, embedding.weight, bias)
