"""What all tests share: DyNet seeded, plots without a screen."""

from __future__ import annotations

import os
import sys

import dynet_config
import numpy as np
import pytest

os.environ.setdefault("MPLBACKEND", "Agg")
for kind in (np.float32, np.float64):
    np.finfo(kind)  # measured before DyNet is there: its wheel flushes denormal numbers, of which NumPy would warn
dynet_config.set(mem=256, random_seed=1)  # DyNet reads this when it is first imported; 0 would be a random seed


@pytest.fixture(autouse=True)
def fresh_dynet() -> None:
    """Give every test the same random numbers and an empty graph, whatever ran before it."""
    if "dynet" in sys.modules:
        dynet = sys.modules["dynet"]
        dynet.reset_random_seed(1)
        dynet.renew_cg()
