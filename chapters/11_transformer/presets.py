"""The presets of chapter 11: sets of settings with a name, for --preset."""

from __future__ import annotations

from typing import Any

PTB = {"corpus": "ptb", "batch_size": 20, "min_count": 1, "accounting": "salton2017"}
"""As in chapter 6, so that the two can be compared."""

PRESETS: dict[str, dict[str, Any]] = {
    "quick": {},
    "ptb-200": {
        **PTB,
        "hidden_size": 200,
        "inner_size": 4,
        "positions": "rotary",
        "dropout": 0.3,
        "learning_rate": 0.001,
        "epochs": 8,
    },
}
"""RESULTS.md tells how dropout and learning rate were chosen."""
