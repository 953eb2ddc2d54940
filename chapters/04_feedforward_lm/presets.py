"""The presets of chapter 4: sets of settings with a name, for --preset."""

from __future__ import annotations

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    "quick": {},
    "ptb-small": {"corpus": "ptb", "hidden_size": 200, "batch_size": 20, "epsilon": 1e-3, "epochs": 5, "min_count": 1},
}
