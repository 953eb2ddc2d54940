"""Chapter 3 in PyTorch: a multi-layer perceptron, its gradients, a step of training, and first weights."""

from __future__ import annotations

import math

import torch
from torch import nn


def network(inputs: int, hidden_size: int) -> nn.Sequential:
    """A hidden layer of tanh units and an output, for a batch of rows (B, inputs) -> (B, 1)."""
    return nn.Sequential(
        nn.Linear(inputs, hidden_size),  # W_xh (H, inputs) and b_h (H,)
        nn.Tanh(),
        nn.Linear(hidden_size, 1),  # w_hy (1, H) and b_y (1,)
    )


def gradients(model: nn.Module, x: torch.Tensor, targets: torch.Tensor) -> list[torch.Tensor]:
    """The derivatives of the summed squared error with respect to each parameter: x (B, inputs), targets (B, 1)."""
    loss = (targets - model(x)).square().sum()
    model.zero_grad()  # backward adds
    loss.backward()
    return [parameter.grad for parameter in model.parameters()]


def update(model: nn.Module, optimiser: torch.optim.Optimizer, x: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """A step on the mean squared error of a batch, with `optimiser = torch.optim.SGD(model.parameters(), lr=0.05)`."""
    loss = nn.functional.mse_loss(model(x), targets)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    return loss


def initialise(layer: nn.Linear) -> None:
    """Weights and biases uniform between minus and plus sqrt(6 / (n + m)), for m units that read n numbers."""
    units, inputs = layer.weight.shape
    nn.init.xavier_uniform_(layer.weight)
    limit = math.sqrt(6 / (inputs + units))
    nn.init.uniform_(layer.bias, -limit, limit)
