"""The presets of chapter 8: sets of settings with a name, for --preset."""

from __future__ import annotations

from typing import Any

LUONG = {
    "encoder": "reverse",
    "score": "bilinear",
    "attention": "local",
    "window": 10,
    "readout": "attentional",
    "feed": "attentional",
    "softmax": "untied",
}
"""The best single model of Luong et al. 2015, but for its size: four layers of 1,000 cells."""

PRESETS: dict[str, dict[str, Any]] = {
    "quick": {},
    "luong": LUONG,
    "multi30k": {
        "corpus": "multi30k",
        "hidden_size": 256,
        "dropout": 0.4,
        "batch_size": 64,
        "learning_rate": 0.003,
        "epochs": 10,
    },
}
