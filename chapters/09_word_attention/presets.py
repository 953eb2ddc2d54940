"""The presets of chapter 9: sets of settings with a name, for --preset."""

from __future__ import annotations

from typing import Any

PRINTED = {"query": "state", "output_contexts": "plain"}  # Eq. 1 to 6 of the poster to the letter
HEADLINES = {"corpus": "village_headlines", "dropout": 0.2}
MULTI30K = {
    "corpus": "multi30k",
    "hidden_size": 256,
    "dropout": 0.4,
    "batch_size": 64,
    "learning_rate": 0.003,
    "epochs": 6,
}

PRESETS: dict[str, dict[str, Any]] = {
    "quick": {},
    "printed": PRINTED,
    "headlines": HEADLINES,
    "printed-headlines": {**HEADLINES, **PRINTED},
    **{name: {**HEADLINES, "system": name} for name in ("abs", "ras-elman", "ras-lstm")},
    "multi30k": MULTI30K,
    "iwslt14": {**MULTI30K, "corpus": "iwslt14", "layers": 2, "residual": True},
}
