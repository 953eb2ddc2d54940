"""The registry of real corpora (`registry.json`) and the place where they are installed."""

from __future__ import annotations

import json
import os
from pathlib import Path

from common.endings import did_you_mean
from common.errors import UserError

REGISTRY = Path(__file__).with_name("registry.json")


def load_registry() -> dict[str, dict]:
    """Return every corpus that the course can fetch: name -> entry (see `registry.json` for the fields).

    An entry that is "like" another one has the fields of that one which it does not name.
    """
    entries = json.loads(REGISTRY.read_text(encoding="utf-8"))
    return {name: entries.get(entry.get("like"), {}) | entry for name, entry in entries.items()}


def find_entry(name: str, registry: dict[str, dict]) -> dict:
    """Return the entry called `name`. Raises `UserError` naming the known corpora if there is none."""
    if name not in registry:
        raise UserError(
            f"there is no corpus {name!r}; choose from {', '.join(sorted(registry))}{did_you_mean(name, registry)}"
        )
    return registry[name]


def corpora_folder(folder: str | Path | None = None) -> Path:
    """Return the folder that holds installed corpora: `folder`, else $COURSE_DATA, else `data/corpora`."""
    if folder is not None:
        return Path(folder)
    if os.environ.get("COURSE_DATA"):
        return Path(os.environ["COURSE_DATA"])
    return Path(__file__).resolve().parent / "corpora"
