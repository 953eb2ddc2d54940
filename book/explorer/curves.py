"""Runs side by side: their settings, with the differences marked, their learning curves and results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from common.errors import UserError
from common.files import read_object
from common.training.runs import ABOUT_THE_RUN

from .shelf import Run

RESULTS = ("perplexity", "oracle_perplexity", "known_perplexity", "bleu", "chrf", "rouge1", "rouge2", "rougeL")
"""Numbers of metrics.json that the page shows, where a run has them."""


class Row(NamedTuple):
    """One setting: what each run has for it, None where its chapter has no such setting.

    differs: whether two runs have it and not the same. shared: whether all have it.
    """

    name: str
    values: list[Any]
    differs: bool
    shared: bool


def compare_settings(runs: Sequence[Run]) -> list[Row]:
    """The settings of the runs: those that differ, those that are the same, those that only some chapters have.

    The seed is compared like any other; where a run was written is no setting.
    """
    names = dict.fromkeys(name for run in runs for name in run.settings if name not in ABOUT_THE_RUN)
    rows = []
    for name in ["chapter", *names]:
        values = [run.chapter if name == "chapter" else run.settings.get(name) for run in runs]
        there = [value for value in values if value is not None]
        differs = any(value != there[0] for value in there)
        rows.append(Row(name.rstrip("_"), values, differs, len(there) == len(values)))
    return sorted(rows, key=lambda row: (not row.differs, not row.shared))


def metrics_of(run: Run) -> dict[str, Any]:
    """The content of a run's metrics.json; empty while it is not finished. Raises `UserError` where it is broken."""
    path = run.folder / "metrics.json"
    return read_object(path, "missing", "damaged; train again") if path.is_file() else {}


def learning_curve(run: Run) -> list[dict[str, float]]:
    """For each epoch its number and perplexities on train (of the changing model, with dropout) and dev."""
    columns = ("epoch", "train_perplexity", "dev_perplexity")
    epochs = metrics_of(run).get("epochs", [])
    if not isinstance(epochs, list) or not all(isinstance(record, dict) for record in epochs):
        raise UserError(f"{run.name}: metrics.json has no epochs that can be read; train again")
    return [{name: record[name] for name in columns if name in record} for record in epochs]


def results(run: Run) -> dict[str, dict[str, float]]:
    """For dev and test the results that a run reports."""
    metrics = metrics_of(run)
    splits = {split: metrics.get(split) for split in ("dev", "test")}
    return {
        split: {name: numbers[name] for name in RESULTS if isinstance(numbers.get(name), (int, float))}
        for split, numbers in splits.items()
        if isinstance(numbers, dict)
    }
