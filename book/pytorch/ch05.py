"""The recurrent networks of chapter 5 in PyTorch.

Letters in the shapes: B sentences, T steps, H hidden size, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn import functional

from common.text.batching import Batch


def rnn_states(cell: nn.RNNCell, inputs: Tensor) -> Tensor:
    """h_t = tanh(W_xh x_t + W_hh h_{t-1} + b_h) of every step (Neubig 2017, Eq. 44): (T, B, H) -> (T, B, H)."""
    h, states = None, []
    for x in inputs:  # nn.RNN(H, H) is this loop
        h = cell(x, h)
        states.append(h)
    return torch.stack(states)


def lstm_step(projected: Tensor, W_h: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """One step of an LSTM (Neubig 2017, Eq. 54 and 55), as nn.LSTM does it: the new h and c, each (B, H).

    projected: W_x x_t + b, (B, 4H), the blocks i, f, o, u in this order; W_h (4H, H).
    """
    i, f, o, u = (projected + h @ W_h.T).chunk(4, dim=-1)
    c = i.sigmoid() * u.tanh() + f.sigmoid() * c
    return o.sigmoid() * c.tanh(), c


def masked_sum(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    """The summed loss of real predictions: logits (T, B, V), targets and mask (T, B) -> a number."""
    losses = functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
    return (losses * mask.flatten()).sum()


def train_in_order(
    batches: Iterable[Batch],
    embedding: nn.Embedding,
    lstm: nn.LSTM,
    bias: nn.Parameter,
    optimiser: torch.optim.Optimizer,
) -> None:
    """One pass of truncated back-propagation through time; the softmax is tied."""
    parameters, state = [*embedding.parameters(), *lstm.parameters(), bias], None
    for batch in batches:
        states, state = lstm(embedding(torch.from_numpy(batch.inputs)), state)
        logits = functional.linear(states, embedding.weight, bias)
        loss = masked_sum(logits, torch.from_numpy(batch.targets), torch.from_numpy(batch.mask))
        optimiser.zero_grad()
        (loss / len(batch.indices)).backward()
        nn.utils.clip_grad_norm_(parameters, 5)
        optimiser.step()
        state = tuple(part.detach() for part in state)
