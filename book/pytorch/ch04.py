"""Chapter 4 in PyTorch: histories, the feed-forward model, and losses that need only some words of the vocabulary.

Letters in the shapes: V vocabulary, L embedding size, H hidden size, n order, T time steps, B sentences or pairs,
N predictions, U different words drawn, K negative samples.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


def histories(inputs: Tensor, order: int) -> Tensor:
    """The n-1 words before each prediction, the oldest first: inputs (B, T) of ids, `<s>` being 0 -> (B, T, n-1)."""
    padded = functional.pad(inputs, (order - 2, 0), value=0)
    return padded.unfold(dimension=1, size=order - 1, step=1)


class FeedForwardLM(nn.Module):
    """The scores of the next word from the n-1 words before it (Neubig 2017, Eq. 42)."""

    def __init__(self, words: int, size: int, hidden_size: int, order: int, dropout: float):
        super().__init__()
        self.embedding = nn.Embedding(words, size)  # M, a row for each word
        self.hidden = nn.Linear((order - 1) * size, hidden_size)  # W_mh, b_h
        self.output = nn.Linear(hidden_size, words)  # W_hs, b_s
        self.dropout = nn.Dropout(dropout)

    def forward(self, words: Tensor) -> Tensor:  # (N, n-1) -> (N, V)
        m = self.embedding(words).flatten(start_dim=1)
        h = torch.tanh(self.hidden(self.dropout(m)))
        return self.output(self.dropout(h))


def sampled_softmax_loss(
    h: Tensor, targets: Tensor, output: nn.Linear, drawn: Tensor, counts: Tensor, log_expected: Tensor
) -> Tensor:
    """The summed loss of importance sampling: h (N, H), targets (N,), drawn, counts (U,), log_expected ln KQ (V,)."""
    corrected = output.bias[drawn] - log_expected[drawn] + counts.log()
    others = functional.linear(h, output.weight[drawn], corrected)  # (N, U)
    others = others.masked_fill(drawn == targets[:, None], float("-inf"))
    of_targets = (h * output.weight[targets]).sum(dim=1) + output.bias[targets]
    candidates = torch.cat([of_targets[:, None], others], dim=1)
    return functional.cross_entropy(candidates, torch.zeros_like(targets), reduction="sum")


def nce_loss(
    h: Tensor, targets: Tensor, output: nn.Linear, drawn: Tensor, counts: Tensor, log_expected: Tensor
) -> Tensor:
    """The summed loss of noise-contrastive estimation with Z = 1: shapes as for the sampled softmax."""
    noise = functional.linear(h, output.weight[drawn], output.bias[drawn] - log_expected[drawn])
    text = (h * output.weight[targets]).sum(dim=1) + output.bias[targets] - log_expected[targets]
    return -(functional.logsigmoid(text) + functional.logsigmoid(-noise) @ counts).sum()


def negative_sampling_loss(v: Tensor, u: Tensor) -> Tensor:
    """The summed loss of B pairs with their samples: v (B, L), u (B, 1 + K, L) with the word of the text first."""
    scores = (u @ v[:, :, None]).squeeze(dim=2)
    return -functional.logsigmoid(scores[:, 0]).sum() - functional.logsigmoid(-scores[:, 1:]).sum()
