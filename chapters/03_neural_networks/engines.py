"""Three ways to compute the gradients: the same network by hand, by our own automatic differentiation, and on DyNet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .model import MLP
from .network import Network


def with_autodiff(arrays: Sequence[np.ndarray], activation: str) -> Network:
    from .with_autodiff import AutodiffMLP

    return AutodiffMLP(arrays, activation)


def with_dynet(arrays: Sequence[np.ndarray], activation: str) -> Network:
    from .with_dynet import DynetMLP

    return DynetMLP(arrays, activation)


ENGINES = {"numpy": MLP, "autodiff": with_autodiff, "dynet": with_dynet}
"""The choices of --engine, each loaded where it is chosen: the network with W and b of each layer in turn."""
