"""Chapter 2 in PyTorch: sums of the rows of active features, the loss with its gradients, AdaGrad and Adam, margins.

Letters in the shapes: N predictions, K active features of all of them together, F features, V words.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor
from torch.nn import functional as F


def scores(W: Tensor, b: Tensor, members: Tensor, values: Tensor, starts: Tensor) -> Tensor:
    """s = b + the sum of x_j W_j over the active features of each prediction (Neubig 2017, Eq. 18): (N, V).

    W (F, V), b (V,). members (K,): the active features of all predictions, one after the other; values (K,): their
    x_j; starts (N,): where each prediction begins.
    """
    return b + F.embedding_bag(members, W, starts, mode="sum", per_sample_weights=values)


def loss_and_gradients(
    W: Tensor, b: Tensor, members: Tensor, values: Tensor, starts: Tensor, targets: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The loss of N predictions in nats, summed, and its gradients: (), (F, V) and (V,). targets (N,): word ids."""
    loss = F.cross_entropy(scores(W, b, members, values, starts), targets, reduction="sum")
    dl_dW, dl_db = torch.autograd.grad(loss, (W, b))  # p - onehot(e), by the chain rule
    return loss, dl_dW, dl_db


def adagrad(parameters: Iterable[Tensor], rate: float, epsilon: float) -> torch.optim.Optimizer:
    """The optimiser that moves by rate g / sqrt(G + epsilon^2), where G is the sum of g^2 so far."""
    return torch.optim.Adagrad(parameters, lr=rate, initial_accumulator_value=epsilon**2, eps=0)


def adam(parameters: Iterable[Tensor], rate: float, epsilon: float) -> torch.optim.Optimizer:
    """The optimiser that moves by rate m_1 / (sqrt(m_2) + epsilon), where both means are corrected."""
    return torch.optim.Adam(parameters, lr=rate, betas=(0.9, 0.999), eps=epsilon)


def hinge(scores: Tensor, targets: Tensor, margin: float) -> Tensor:
    """How much is missing from a lead of `margin` over the rival, for each prediction (part 2): (N, V) -> (N,)."""
    own = scores.gather(1, targets[:, None])
    rivals = scores.scatter(1, targets[:, None], -torch.inf).max(dim=1, keepdim=True).values
    return F.relu(margin + rivals - own).squeeze(1)
