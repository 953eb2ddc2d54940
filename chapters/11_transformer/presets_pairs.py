"""The presets of chapter 11's translator: sets of settings with a name, for --preset."""

from __future__ import annotations

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    "quick": {},
    "multi30k": {
        "corpus": "multi30k",
        "hidden_size": 256,
        "layers": 3,
        "dropout": 0.3,
        "batch_size": 64,
        "learning_rate": 0.001,
        "epochs": 15,
    },
}
