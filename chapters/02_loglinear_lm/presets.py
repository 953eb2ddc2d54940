"""The presets of chapter 2: sets of settings with a name, for --preset."""

from __future__ import annotations

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    "quick": {},
    "ptb": {
        "corpus": "ptb",
        "features": "word1,word2,class1,class2,class3",
        "classes": 200,
        "min_count": 1,
        "batch_size": 16,
        "epochs": 2,
    },
}
