"""How arrays enter a computation graph."""

from __future__ import annotations

import dynet as dy
import numpy as np


def input_batch(array: np.ndarray) -> dy.Expression:
    """An array whose last axis is the batch, as an expression; DyNet's own `batched` refuses a batch of one."""
    return dy.reshape(dy.inputTensor(array.ravel(order="F")), array.shape[:-1], array.shape[-1])
