"""The presets of chapter 1: sets of settings with a name, for --preset."""

from __future__ import annotations

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    "quick": {},
    "ptb": {"corpus": "ptb", "smoothing": "modified-kneser-ney", "order": 5, "min_count": 1},
}
