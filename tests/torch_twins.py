"""Layers of PyTorch that have the numbers of the course's own."""

from __future__ import annotations

import dynet as dy
import numpy as np
import torch

from common.nn.recurrent import LSTM


def tensor(parameter: dy.Parameters) -> torch.Tensor:
    return torch.tensor(parameter.as_array(), dtype=torch.float32)


def table(parameter: dy.Parameters) -> torch.nn.Embedding:
    """A row for each word."""
    return torch.nn.Embedding.from_pretrained(tensor(parameter), freeze=False)


def linear(*matrices: dy.Parameters) -> torch.nn.Linear:
    """A layer without bias whose matrix is these, side by side."""
    weights = torch.hstack([tensor(matrix) for matrix in matrices])
    layer = torch.nn.Linear(weights.shape[1], weights.shape[0], bias=False)
    layer.weight = torch.nn.Parameter(weights)
    return layer


def lstm(layer: LSTM, **options: bool) -> torch.nn.LSTM:
    """The blocks of PyTorch are the gates i and f, the update, and the gate o. It has a second bias, which stays 0."""
    size, read = layer.W_h.shape()[1], layer.W_x.shape()[1]
    made = torch.nn.LSTM(read, size, **options)
    for name, parameter in (("weight_ih_l0", layer.W_x), ("weight_hh_l0", layer.W_h), ("bias_ih_l0", layer.b)):
        i, f, o, u = tensor(parameter).chunk(4)
        setattr(made, name, torch.nn.Parameter(torch.cat([i, f, u, o])))
    made.bias_hh_l0 = torch.nn.Parameter(torch.zeros(4 * size), requires_grad=False)
    return made


def batched(array: np.ndarray) -> dy.Expression:
    """(B, columns, rows) or (B, rows) as an expression (rows, columns) x B or (rows,) x B."""
    return dy.inputTensor(array.T, batched=True)
