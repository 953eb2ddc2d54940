"""What a finished run has written down of its results, read and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from common.files import read_json, reading
from common.text.corpus import SPLITS

WRITTEN_TO_THE_END = "metrics.json"
NAMES, SCORES = ("chapter", "corpus"), ("perplexity", "known_perplexity", "bleu", "predictions", "unknown")


def read_metrics(run: Path, *needed: str) -> dict[str, Any]:
    """What metrics.json holds. Raises `UserError` where it is missing or damaged, or lacks a name that is needed."""
    path, damaged = run / WRITTEN_TO_THE_END, "no readable results; remove the folder, and the run is made again"
    with reading(path, "missing: no finished run", damaged):
        metrics = read_json(path)
        check_metrics(metrics, *needed)
    return metrics


def check_metrics(metrics: dict[str, Any], *needed: str) -> None:
    """Raises an error for a name that is no text, a seed that is no whole number, a score on dev or test that is no
    number, a perplexity that is not positive, and where a name that is needed is not there."""
    if missing := set(needed) - metrics.keys():
        raise KeyError(missing)
    if not all(type(metrics.get(name, "")) is str for name in NAMES) or type(metrics.get("seed", 1)) is not int:
        raise ValueError("no names, or no seed")
    results = [metrics.get(split, {}) for split in SPLITS[1:]]
    if not all(type(found.get(name, 0)) in (int, float) for found in results for name in SCORES):
        raise ValueError("scores that are no numbers")
    if any(found.get("perplexity", 1) <= 0 for found in results):
        raise ValueError("a perplexity that is not positive")
