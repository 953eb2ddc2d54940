"""The presets of chapter 10: sets of settings with a name, for --preset."""

from __future__ import annotations

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    "quick": {},
    "reinforce": {"objective": "reinforce"},
    "scheduled": {"objective": "scheduled", "share": 0.25},
    "likelihood": {"objective": "likelihood", "share": 0.25},
    "lexicon": {"lexicon": "bias", "epochs": 5, "likelihood_epochs": 5},
    "copying": {"copying": True, "epochs": 5, "likelihood_epochs": 5},
    "pieces": {"subwords": 1000, "epochs": 5, "likelihood_epochs": 5},
    "multi30k": {
        "corpus": "multi30k",
        "hidden_size": 256,
        "dropout": 0.4,
        "batch_size": 64,
        "learning_rate": 0.003,
        "objective_rate": 0.0003,
        "likelihood_epochs": 10,
        "epochs": 14,
        "share": 0.25,
    },
}
