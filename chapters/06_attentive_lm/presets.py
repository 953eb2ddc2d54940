"""The presets of chapter 6: sets of settings with a name, for --preset."""

from __future__ import annotations

from typing import Any

PAPER = {
    **{"score": "single", "layers": 2, "init_scale": 0.05, "merge_init": "uniform", "bias": "zero"},
    **{"optimiser": "sgd", "learning_rate": 1.0, "schedule": "decay", "clip": 5.0, "patience": 10, "epochs": 100},
    **{"batch_size": 32, "max_length": 35, "min_count": 1, "accounting": "salton2017"},
}
"""What the paper's two models share. RESULTS.md ("Training it") tells where they leave the paper's words, for its
authors' code or for neither. Of WikiText-2, the accounting is theirs only for the corpus `wikitext2-salton2017`."""

PTB = {"corpus": "ptb", "layers": 2, "batch_size": 20, "epsilon": 1e-3, "min_count": 1, "accounting": "salton2017"}
MASKED = {"dropout_kind": "variational", "recurrent_share": 0.5, "weight_decay": 0.01, "average_epochs": 3}
"""What two sizes share: a guess from what others report, which has not been tuned here."""

PRESETS: dict[str, dict[str, Any]] = {
    "quick": {},
    "demo": {"batch_size": 20, "dropout": 0.15, "learning_rate": 0.012, "warm_up": 0.3, "epochs": 4},
    "ptb-small": {**PTB, "hidden_size": 200, "dropout": 0.35, "learning_rate": 0.004, "epochs": 12},
    "ptb-200": {**PTB, **MASKED, "hidden_size": 200, "dropout": 0.3, "learning_rate": 0.004, "epochs": 20},
    "ptb-650": {**PTB, **MASKED, "hidden_size": 650, "dropout": 0.5, "learning_rate": 0.002, "epochs": 30},
    "paper-ptb": {"corpus": "ptb", **PAPER, "hidden_size": 650, "dropout": 0.5, "decay": 0.5, "decay_start": 12},
    "paper-wikitext2": {
        **{"corpus": "wikitext2", **PAPER, "hidden_size": 1000, "dropout": 0.65},
        **{"decay": 1 / 1.15, "decay_start": 14, "accounting": "honest"},
    },
}
