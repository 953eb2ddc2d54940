"""The presets of chapter 3: sets of settings with a name, for --preset."""

from __future__ import annotations

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    "quick": {},
    "rings": {"task": "rings", "epochs": 100, "batch_size": 16, "learning_rate": 0.1},
    "spirals": {"task": "spirals", "epochs": 500, "batch_size": 16, "layers": 2, "hidden_size": 16},
}
