"""What a finished run has written down of its results, read and checked, and told of several runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from common.files import read_json, reading
from common.text.corpus import SPLITS

WRITTEN_TO_THE_END = "metrics.json"
NUMBER = (int, float)
KINDS = {
    **{"chapter": (str,), "corpus": (str,), "seed": (int,), "parameters": (int,), "seconds": NUMBER},
    **{"tokens_per_second": NUMBER, "epochs": (list,), "versions": (dict,), "dev": (dict,), "test": (dict,)},
}
"""What stands under each name, where it is there."""
SCORES = ("perplexity", "known_perplexity", "oracle_perplexity", "bleu", "loss", "accuracy", "predictions", "unknown")


def read_metrics(run: Path, *needed: str) -> dict[str, Any]:
    """What metrics.json holds. Raises `UserError` where it is missing or damaged, or lacks a name that is needed.

    needed: names, also of what is inside of something: "seed", "test.bleu".
    """
    path, damaged = run / WRITTEN_TO_THE_END, "no readable results; remove the folder, and the run is made again"
    with reading(path, "missing: no finished run", damaged):
        metrics = read_json(path)
        check_metrics(metrics, *needed)
    return metrics


def corpus_checksum(run: Path) -> str:
    """The checksum of the texts that a run was trained on. Raises `UserError` where its config.json has none."""
    broken = "no readable config.json; remove the folder, and the run is made again"
    with reading(run / "config.json", broken, broken):
        return str(read_json(run / "config.json")["fingerprints"]["corpus"])


def check_metrics(metrics: dict[str, Any], *needed: str) -> None:
    """Raises an error where something is not of its kind (`KINDS`), for a score on dev or test that is no number, a
    perplexity that is not positive, and where a name that is needed is not there."""
    for path in needed:
        part = metrics
        for name in path.split("."):
            part = part[name]
    if wrong := [name for name, kinds in KINDS.items() if name in metrics and type(metrics[name]) not in kinds]:
        raise ValueError(f"{wrong[0]} is not of its type")
    if not all(isinstance(version, str) for version in metrics.get("versions", {}).values()):
        raise ValueError("versions that are not texts")
    for scores in (metrics.get(split, {}) for split in SPLITS[1:]):
        if not all(type(scores.get(name, 0)) in NUMBER for name in SCORES):
            raise ValueError("scores that are not numbers")
        if scores.get("perplexity", 1) <= 0:
            raise ValueError("a perplexity that is not positive")


def three_digits(value: float) -> str:
    """Two digits behind the point, one from 20 on, none from 100 on; below 0.1 three significant ones."""
    if 0 < value < 0.1:
        return f"{value:#.3g}"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 20 else f"{value:.2f}"


def spread(values: Sequence[float], digits: int | None = None) -> str:
    """Mean ± standard deviation; the value where there is one, and nothing where there is none that is known (no NaN).

    digits: behind the point; where it is not given, as `three_digits` shows the mean.
    """
    if all(map(math.isnan, values)):
        return ""
    middle = mean(values)
    if digits is None:
        digits = len(three_digits(middle).partition(".")[2])
    return f"{middle:.{digits}f}" + (f" ± {stdev(values):.{digits}f}" if len(values) > 1 else "")
