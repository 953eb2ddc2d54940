"""Scheduled sampling, minimum risk and REINFORCE in PyTorch.

Letters in the shapes: T time steps, B pairs in the batch, V words of the vocabulary, n candidates of a pair, k samples.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def mixed_inputs(
    next_words: Callable[[Any, Tensor], tuple[Any, Tensor]], state: Any, inputs: Tensor, own_here: Tensor
) -> Tensor:
    """What the decoder reads, (T, B): the reference's words, and where own_here is true words that the model draws.

    next_words(state, words): the new state and the log-probabilities of the next words, (B, V). Word 0 is `</s>`.
    """
    inputs = inputs.clone()
    with torch.no_grad():
        for t in range(1, len(inputs)):
            state, log_probs = next_words(state, inputs[t - 1])
            own_words = draw_words(log_probs)
            inputs[t] = torch.where(own_here[t] & (own_words != 0), own_words, inputs[t])
    return inputs


def draw_words(log_probs: Tensor) -> Tensor:
    """One word per row, (B,), drawn from exp(log_probs), (B, V)."""
    noise = -torch.log(torch.empty_like(log_probs).exponential_())
    return (log_probs + noise).argmax(dim=1)


def expected_cost(log_probs: Tensor, costs: Tensor, counted: Tensor, alpha: float) -> Tensor:
    """The risk of each pair, (B,). log_probs, costs, and which candidates are counted: (B, n)."""
    scores = (alpha * log_probs).masked_fill(~counted, float("-inf"))
    return (scores.softmax(dim=1) * costs).sum(dim=1)


def policy_loss(log_probs: Tensor, costs: Tensor) -> Tensor:
    """What has the gradient of REINFORCE, for each pair, (B,), from two samples or more. log_probs, costs: (B, k)."""
    others = (costs.sum(dim=1, keepdim=True) - costs) / (costs.shape[1] - 1)
    return ((costs - others) * log_probs).mean(dim=1)
