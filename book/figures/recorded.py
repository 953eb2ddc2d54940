"""What figures show of trained models: numbers recorded once, in the folder `figures/` of a chapter.

`python -m book.figures.chNN_record [RUNS]` makes such a file. It trains those of its runs that are missing in the
folder RUNS, goes on with one that was interrupted, and measures them. The file names the command and the settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from book.lessons import ROOT
from common.files import read_object, write_json
from tools.epoch_tables import best_epoch

NAME = "figures/recorded.json"


def recorded(chapter: str, name: str = NAME) -> dict:
    """What was recorded for a chapter ("05_rnn_lm"), or for a further part of it under another name.

    Raises `UserError` where nothing was.
    """
    path = ROOT / "chapters" / chapter / name
    missing = f"missing: python -m book.figures.ch{chapter[:2]}_record, or that of a further part, makes it"
    return read_object(path, missing, "broken; make it again")


def at_best(chapter: str, name: str) -> np.ndarray:
    """Perplexity on test, of all words and of names that come back, in the epoch that is best on dev: (runs, 2).

    name: a record of `tools.epoch_tables` in `figures/`, without ".json".
    """
    runs = recorded(chapter, f"figures/{name}.json")["runs"]
    tests = [run["epochs"][best_epoch(run) - 1]["test"] for run in runs]
    return np.array([(test["perplexity"], test["recall"]) for test in tests])


def record(
    chapter: str, command: str, settings: Mapping, numbers: Mapping, folder: Path | None = None, name: str = NAME
) -> Path:
    """Write what figures need, rounded to four digits after the point. folder: another than the chapter's own."""
    path = (folder or ROOT / "chapters" / chapter) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, {"command": command, **({"settings": settings} if settings else {}), **rounded(numbers)})
    return path


def rounded(value):
    """The same with all fractions rounded to four digits after the point, and lists in place of arrays."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(part) for part in value]
    return round(value, 4) if isinstance(value, float) else value
