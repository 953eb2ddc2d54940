"""Word attention and contextual gates in PyTorch.

Letters in the shapes: H hidden size, S source words, B sentences in the batch. PyTorch has the batch first.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def attend(
    W_query: nn.Linear, W_source: nn.Linear, v: nn.Linear, query: Tensor, memory: Tensor
) -> tuple[Tensor, Tensor]:
    """The weights (B, S) and the context (B, H) of a query (B, Q) and a memory (B, S, H) of annotations or embeddings.

    The three layers have no bias; v has one output.
    """
    inner = torch.tanh(W_query(query).unsqueeze(1) + W_source(memory))
    weights = v(inner).squeeze(2).softmax(dim=1)
    return weights, torch.einsum("bs,bsh->bh", weights, memory)


def gate(layer: nn.Linear, word: Tensor, before: Tensor, c_h: Tensor, c_x: Tensor) -> Tensor:
    """o, (B, H), of last word, state and both contexts, each (B, H). layer: 4H inputs, H outputs, no bias."""
    return torch.sigmoid(layer(torch.cat([word, before, c_h, c_x], dim=1)))


def gated_contexts(o: Tensor, c_h: Tensor, c_x: Tensor) -> tuple[Tensor, Tensor]:
    """What the gate leaves of the context of annotations and of the word context, each (B, H)."""
    return o * c_h, (1 - o) * c_x
