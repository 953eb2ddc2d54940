"""The presets of chapter 5: sets of settings with a name, for --preset."""

from __future__ import annotations

from typing import Any

ZAREMBA = {
    "corpus": "ptb",
    "layers": 2,
    "softmax": "untied",
    "state": "kept",
    "bptt": 35,
    "bias": "zero",
    "optimiser": "sgd",
    "learning_rate": 1.0,
    "schedule": "decay",
    "batch_size": 20,
    "min_count": 1,
    "patience": 55,
}
"""What the medium and the large model of Zaremba et al. (2014) share."""

PRESETS: dict[str, dict[str, Any]] = {
    "quick": {},
    "ptb-small": {
        "corpus": "ptb",
        "layers": 2,
        "hidden_size": 200,
        "dropout": 0.25,
        "batch_size": 20,
        "learning_rate": 0.004,
        "epsilon": 1e-3,
        "epochs": 5,
        "min_count": 1,
        "accounting": "salton2017",
    },
    "zaremba-medium": {
        **ZAREMBA,
        "hidden_size": 650,
        "init_scale": 0.05,
        "dropout": 0.5,
        "epochs": 39,
        "decay": 1 / 1.2,
        "decay_start": 5,  # the seventh epoch is the first with a smaller rate
        "clip": 5.0,
    },
    "zaremba-large": {
        **ZAREMBA,
        "hidden_size": 1500,
        "init_scale": 0.04,
        "dropout": 0.65,
        "epochs": 55,
        "decay": 1 / 1.15,
        "decay_start": 13,  # the fifteenth
        "clip": 10.0,
    },
}
