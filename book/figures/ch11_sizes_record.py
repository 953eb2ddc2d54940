"""How much data each model needs: `python -m book.figures.ch11_sizes_record RUNS`.

Chapter 6's LSTM without attention and with its combined score, and the Transformer with rotary positions, trained on
villages of other sizes, which must be in RUNS: `python -m data generate village --train N --out RUNS/village-N` for
every N of `SIZES`. All are measured on the village's own dev and test.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from book.figures.recording import RUNS, Recording
from common.evaluation.perplexity import sentence_log_probs
from common.programs.chapters import load_run
from common.text.corpus import load_corpus
from data.phenomena import by_label, labels_of
from tools.analyse.phenomena import VILLAGE
from tools.metrics import read_metrics, spread
from tools.significance import paired
from tools.tables import header, row_of

CHAPTER, RECORD = "11_transformer", "figures/recorded_sizes.json"
SYSTEMS = {
    "none": ("06_attentive_lm", "--score none"),
    "combined": ("06_attentive_lm", "--score combined"),
    "rotary": ("11_transformer", "--positions rotary"),
}
"""By name: the chapter, and the flags."""
SIZES = {1000: 20, 3000: 20, 10_000: 8, 30_000: 3, 100_000: 1}
"""Epochs, by the number of training sentences."""
DROPOUTS = {1000: (0.2, 0.5), 3000: (0.2, 0.4), 10_000: (0.2,), 30_000: (0.2,), 100_000: (0.2,)}
"""Those that were tried, by the number of training sentences; 0.2 is the default."""
SEEDS = range(1, 6)
LABELS = ("local", "agreement", "recall")


def cases() -> list[tuple[int, str, float, int]]:
    """Size, system, dropout and seed of every run."""
    return [(size, name, rate, seed) for size in SIZES for name in SYSTEMS for rate in DROPOUTS[size] for seed in SEEDS]


def folder_of(size: int, name: str, dropout: float, seed: int) -> str:
    return f"{size}-{name}-{dropout:g}-{seed}"


def measure(runs: Path) -> tuple[Mapping, Mapping]:
    """Settings and numbers of the runs."""
    corpus = load_corpus(VILLAGE)
    sentences = {split: getattr(corpus, split) for split in ("dev", "test")}
    labels = {split: labels_of(of_split) for split, of_split in sentences.items()}
    rows: list[dict[str, Any]] = []
    for case in cases():
        folder = runs / folder_of(*case)
        model, metrics = load_run(folder)[0], read_metrics(folder)
        history = [epoch["dev_perplexity"] for epoch in metrics["epochs"]]
        row = dict(zip(("size", "system", "dropout", "seed"), case, strict=True))
        row |= {"epochs": len(history), "best epoch": 1 + history.index(min(history))}
        for split, of_split in sentences.items():
            by_phenomenon = by_label(labels[split], sentence_log_probs(model, of_split, "uniform"))
            row[split] = {"perplexity": metrics[split]["perplexity"], "known": metrics[split]["known_perplexity"]}
            row[split] |= {label: by_phenomenon[label][1] for label in LABELS}
        rows.append(row)
    flags = {name: f"chapters/{chapter}/train.py {flags}" for name, (chapter, flags) in SYSTEMS.items()}
    return {"systems": flags, "epochs": {str(size): epochs for size, epochs in SIZES.items()}}, {"runs": rows}


def flags_of(size: int, name: str, dropout: float, seed: int) -> str:
    """The flags of a run's train.py."""
    epochs = SIZES[size]
    length = f"--epochs {epochs} --patience {epochs} --dropout {dropout:g}"
    return f"{SYSTEMS[name][1]} --corpus {RUNS}/village-{size} {length} --seed {seed}"


def runs_of(numbers: Mapping, size: int, name: str, dropout: float) -> list[dict[str, Any]]:
    """What was measured of a recipe, a run for each seed."""
    recipe = (size, name, dropout)
    return [run for run in numbers["runs"] if (run["size"], run["system"], run["dropout"]) == recipe]


def on_test(numbers: Mapping, size: int, name: str) -> list[dict[str, float]]:
    """Perplexities on test, a run each, with the dropout that is best on dev: by phenomenon, "perplexity" of all."""
    recipes = [runs_of(numbers, size, name, rate) for rate in DROPOUTS[size]]
    best = min(recipes, key=lambda runs: np.mean([run["dev"]["perplexity"] for run in runs]))
    return [run["test"] for run in best]


def tables(numbers: Mapping) -> Iterator[str]:
    """Every recipe, means by size, and differences between systems, seed by seed. numbers: those of the record."""
    yield from header(["sentences", "system", "dropout", "best epoch", "dev", "test", *LABELS])
    for size, name, rate in dict.fromkeys(case[:3] for case in cases()):
        runs = runs_of(numbers, size, name, rate)
        epochs = ", ".join(str(run["best epoch"]) for run in runs)
        columns = [[run["dev"]["perplexity"] for run in runs]]
        columns += [[run["test"][label] for run in runs] for label in ("perplexity", *LABELS)]
        recipe = [f"{size:,}", name, f"{rate:g}", f"{epochs} of {SIZES[size]}"]
        yield row_of([*recipe, *(spread(values, 2) for values in columns)])
    for label in ("perplexity", "recall", "agreement"):
        yield ""
        yield from header([f"{label}, test", *(f"{size:,}" for size in SIZES)])
        for name in SYSTEMS:
            runs = [[run[label] for run in on_test(numbers, size, name)] for size in SIZES]
            yield row_of([name, *(spread(values, 2) for values in runs)])
    yield ""
    pairs = list(combinations(SYSTEMS, 2))
    yield from header(["sentences", *(f"`{second}` − `{first}`" for first, second in pairs)])
    for size in SIZES:
        logs = {name: [log(run["perplexity"]) for run in on_test(numbers, size, name)] for name in SYSTEMS}
        differences = [paired(logs[first], logs[second]) for first, second in pairs]
        cells = (f"{found:+.3f} ({low:+.3f} to {high:+.3f})" for found, low, high, _ in differences)
        yield row_of([f"{size:,}", *cells])


RECORDING = Recording(
    CHAPTER,
    "python -m book.figures.ch11_sizes_record RUNS",
    measure,
    {folder_of(*case): (SYSTEMS[case[1]][0], flags_of(*case)) for case in cases()},
    name=RECORD,
    tables=tables,
)

if __name__ == "__main__":
    RECORDING.main(__doc__)
