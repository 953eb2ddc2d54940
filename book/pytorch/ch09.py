"""Word attention and contextual gates in PyTorch, and how ABS and RAS read a source.

Letters in the shapes: H hidden size, S source words, T target time steps, B sentences in the batch, C words of a
history. PyTorch has the batch first.
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


def abs_scores(G: nn.Embedding, P: nn.Linear, histories: Tensor, words: Tensor) -> Tensor:
    """The scores of ABS, (B, T, S): histories (B, T, C) are word ids, words (B, S, H) embeddings of the source."""
    queries = P(G(histories).flatten(start_dim=2))
    return queries @ words.transpose(1, 2)


def ras_keys(places: nn.Embedding, convolution: nn.Conv1d, words: Tensor) -> tuple[Tensor, Tensor]:
    """The a_j and the z_j of RAS, each (B, S, H), from embeddings of words. The convolution pads with zeros."""
    placed = words + places(torch.arange(words.shape[1]))
    return placed, convolution(placed.transpose(1, 2)).transpose(1, 2)
