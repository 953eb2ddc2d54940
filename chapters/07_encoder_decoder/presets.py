"""The presets of chapter 7: sets of settings with a name, for --preset."""

from __future__ import annotations

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {"quick": {}}
