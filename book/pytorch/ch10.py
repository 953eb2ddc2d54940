"""Scheduled sampling, minimum risk, REINFORCE, lexicons and copying in PyTorch.

Letters in the shapes: T time steps, B pairs in the batch, V words of the target vocabulary, S source words,
n candidates of a pair, k samples.
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


def lexicon_bias(scores: Tensor, lexicon: Tensor, weights: Tensor, epsilon: float) -> Tensor:
    """The arguments of the softmax, (B, T, V), with the lexicon (B, V, S) averaged by attention weights (B, T, S)."""
    return scores + torch.log(weights @ lexicon.transpose(1, 2) + epsilon)


def mixture(log_probs: Tensor, looked_up: Tensor, a: Tensor) -> Tensor:
    """log((1 - s) P' + s l), s = sigmoid(a): log P' and what was looked up, l, are (B, T, V); a is (B, T, 1)."""
    s = torch.sigmoid(a)
    return torch.log((1 - s) * log_probs.exp() + s * looked_up + 1e-30)
