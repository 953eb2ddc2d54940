"""What a run of chapter 1 prints and writes: what was counted, and the figures of the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from common.evaluation.perplexity import LanguageModel, evaluate
from common.files import write_json
from common.training.report import report_run
from common.training.runs import Log
from common.training.setup import Setup

from .settings import CHAPTER
from .storage import count_numbers, parts


class Counted(NamedTuple):
    """How many predictions the text has, and how many different n-grams of each order."""

    predictions: int
    sizes: list[int]


def show_counts(levels: Sequence[Any], log: Log) -> Counted:
    """levels: of `counts.Level` or, on disk, `disk_counts.DiskLevel`."""
    sizes = [len(level.keys) for level in levels]
    log("different n-grams: " + ", ".join(f"{size:,} of order {n}" for n, size in enumerate(sizes, 1)))
    return Counted(int(levels[0].counts.sum()), sizes)


def finish_run(setup: Setup, model: LanguageModel, counted: Counted, seconds: float) -> None:
    """Evaluate a model that has been saved, print the table, and write metrics.json. seconds: that training took."""
    settings, log = setup.settings, setup.log
    record = {
        "epoch": 1,
        "dev_perplexity": evaluate(model, setup.corpus.dev, settings.unk).perplexity,
        "predictions": counted.predictions,
        "seconds": seconds,
    }
    metrics = report_run(setup, model, count_numbers(model), [record])
    if settings.prune:
        remaining = zip(parts(model)[0].tables()[0], counted.sizes, strict=True)
        of_each = ", ".join(f"{len(keys):,} of {size:,} of order {n}" for n, (keys, size) in enumerate(remaining, 1))
        log(f"n-grams kept by --prune {settings.prune}: {of_each}")
    log(f"{settings.smoothing} of order {settings.order}; everything is in {setup.folder}")
    write_json(setup.folder / "metrics.json", metrics)  # whoever finds it takes the run for finished
    log(f"next: python chapters/{CHAPTER}/generate.py --run {setup.folder} --orders")
