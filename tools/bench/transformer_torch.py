"""The Transformer language model once more, in PyTorch: the reference model that the benchmark compares DyNet with.

It is written as a PyTorch user would write it for speed (`scaled_dot_product_attention`, one product for all
predictions, one cross-entropy, keys and values that are kept in generation) and computes the same function of the same
parameters as chapters/11_transformer/model.py: a test compares losses, gradients and what is generated. Tensors are
(batch, time, H).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tools.bench.reference import PADDING, ReferenceLanguageModel

Past = tuple[Tensor, Tensor] | None
"""Keys and values of a block, each (batch, heads, time, H / heads)."""


class Block(nn.Module):
    """Attention with heads, then a network at each position; layer normalisation before each, a sum around it."""

    def __init__(self, size: int, heads: int, inner: int, dropout: float):
        super().__init__()
        self.heads, self.dropout = heads, nn.Dropout(dropout)
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Parameter(torch.zeros(size, size)) for _ in range(4))
        self.W_1, self.b_1 = nn.Parameter(torch.zeros(inner, size)), nn.Parameter(torch.zeros(inner))
        self.W_2, self.b_2 = nn.Parameter(torch.zeros(size, inner)), nn.Parameter(torch.zeros(size))

    def forward(self, x: Tensor, past: Past = None) -> tuple[Tensor, Past]:
        """(batch, time, H) -> (batch, time, H), and what later positions attend to."""
        read = F.layer_norm(x, x.shape[-1:])
        queries, keys, values = (self.split(F.linear(read, W)) for W in (self.W_q, self.W_k, self.W_v))
        if past:
            keys, values = torch.cat([past[0], keys], dim=2), torch.cat([past[1], values], dim=2)
        contexts = F.scaled_dot_product_attention(queries, keys, values, is_causal=past is None)
        x = x + self.dropout(F.linear(contexts.transpose(1, 2).flatten(2), self.W_o))
        inner = F.relu(F.linear(F.layer_norm(x, x.shape[-1:]), self.W_1, self.b_1))
        return x + self.dropout(F.linear(inner, self.W_2, self.b_2)), (keys, values)

    def split(self, x: Tensor) -> Tensor:
        """(batch, time, H) -> (batch, heads, time, H / heads)."""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class ReferenceModel(ReferenceLanguageModel):
    """Embeddings and sinusoidal positions, blocks, a last norm, a softmax tied to the embeddings."""

    def __init__(self, vocabulary: int, size: int, layers: int, heads: int, inner_size: int, dropout: float):
        super().__init__()
        self.embedding = nn.Parameter(torch.zeros(vocabulary, size))
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(size, heads, inner_size * size, dropout) for _ in range(layers))
        self.b = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """The summed loss in nats: inputs and targets (time, batch) of word ids, `PADDING` where no target is."""
        x = self.dropout(self.embed(inputs.T, 0))
        for block in self.blocks:
            x, _ = block(x)
        logits = self.logits(x).flatten(0, 1)
        return F.cross_entropy(logits, targets.T.flatten(), ignore_index=PADDING, reduction="sum")

    def embed(self, words: Tensor, first: int) -> Tensor:
        """Embeddings, times the root of H, and positions from `first` on: (batch, time) -> (batch, time, H)."""
        size = self.embedding.shape[1]
        pairs = torch.arange(size) // 2
        angles = torch.arange(first, first + words.shape[1])[:, None] / 10_000 ** (2 * pairs / size)
        waves = torch.where(torch.arange(size) % 2 == 0, angles.sin(), angles.cos())
        return F.embedding(words, self.embedding) * size**0.5 + waves

    def logits(self, x: Tensor) -> Tensor:
        return F.linear(F.layer_norm(x, x.shape[-1:]), self.embedding, self.b)

    def start(self, rows: int) -> list[Past]:
        """The state before the first word of `rows` sentences."""
        return [None] * len(self.blocks)

    def advance(self, state: list[Past], words: Tensor) -> tuple[list[Past], Tensor]:
        """Read one word per sentence, (batch,): the new state, and the argument of the softmax, (batch, V)."""
        x, new_state = self.embed(words[:, None], state[0][0].shape[2] if state[0] else 0), []
        for block, past in zip(self.blocks, state, strict=True):
            x, past = block(x, past)
            new_state.append(past)
        return new_state, self.logits(x).squeeze(1)
