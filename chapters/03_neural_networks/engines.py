"""Three ways to compute the gradients: the same network by hand, by our own automatic differentiation, and on DyNet."""

from __future__ import annotations

from .model import MLP
from .with_autodiff import AutodiffMLP
from .with_dynet import DynetMLP

ENGINES = {"numpy": MLP, "autodiff": AutodiffMLP, "dynet": DynetMLP}
"""The choices of --engine."""
