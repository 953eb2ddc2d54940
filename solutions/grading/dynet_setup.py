"""DyNet for graders: seeded, small, set up before anything imports it."""

from __future__ import annotations

import sys

import dynet_config
import numpy as np

MEGABYTES = 16
"""What DyNet begins with; it takes more as it needs it. A process with little memory is forked fast."""


def prepare() -> None:
    """Choose DyNet's settings, unless it runs already."""
    if "dynet" in sys.modules:
        return
    for kind in (np.float32, np.float64):
        np.finfo(kind)  # measured before DyNet is there: its wheel flushes denormal numbers, of which NumPy would warn
    dynet_config.set(mem=MEGABYTES, random_seed=1)  # 0 would be a random seed
