"""What systems have learnt by epoch, compared with equal care: `python -m tools.epoch_tables RUN ... --record FILE`.

The runs are those of `python -m tools.by_epoch`. One of their settings distinguishes the systems (--system), and others
the recipes (--recipe). Every system must have been trained by every recipe with the same seeds. The model of a run is
that of the epoch that is best on dev. `--from FILE` prints the tables of a record again, and with runs adds them to it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from common.errors import OneLineParser, UserError, exits_cleanly
from common.files import read_json, reading, write_json
from tools.by_epoch import FILE
from tools.experiment.equal_care import equal_care
from tools.metrics import corpus_checksum, spread
from tools.tables import header, row_of

LABELS = {
    "perplexity": "perplexity",
    "recall": "perplexity of names that come back",
    "agreement": "perplexity of agreement",
}
"""What the tables contain: the name in by_epoch.jsonl, and the head of the column."""


def read_run(folder: Path, system: str, recipe: Sequence[str]) -> dict[str, Any]:
    """A run for the record: system, recipe, seed, and for each epoch the perplexities of dev and test."""
    damaged = "not a finished run of tools.by_epoch; train it again"
    with reading(folder / FILE, damaged, damaged):
        settings = read_json(folder / "config.json")["settings"]
        epochs = [json.loads(line) for line in (folder / FILE).read_text("utf-8").splitlines()]
        history = [epoch["dev_perplexity"] for epoch in read_json(folder / "metrics.json")["epochs"]]
        measured = [epoch["dev"]["perplexity"] for epoch in epochs]
        if len(measured) != len(history) or not np.allclose(measured, history, rtol=1e-6):
            raise ValueError("other epochs, or another corpus, than those of the training")
        return {
            "corpus": corpus_checksum(folder),
            "system": str(settings[system]),
            "recipe": {name: settings[name] for name in recipe},
            "seed": settings["seed"],
            "epochs": [
                {split: {label: round(epoch[split][label], 4) for label in LABELS} for split in ("dev", "test")}
                for epoch in epochs
            ],
        }


def best_epoch(run: dict[str, Any]) -> int:
    """The epoch, from 1, with the lowest perplexity on dev."""
    return 1 + min(range(len(run["epochs"])), key=lambda index: run["epochs"][index]["dev"]["perplexity"])


def grouped(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each system and recipe: "values" by column, and "runs", the runs of the record by seed.

    Raises `UserError` unless every system has the same recipes and seeds: else one would be searched more than another.
    """
    if len({run["corpus"] for run in runs if "corpus" in run}) > 1:  # older records say nothing of it
        raise UserError("the runs were trained on different texts; give runs on one corpus")
    rows: dict[str, dict[str, Any]] = {}
    for run in runs:
        values = {"system": run["system"], **{name: str(value) for name, value in run["recipe"].items()}}
        row = rows.setdefault(json.dumps(values), {"values": values, "runs": {}})
        if row["runs"].setdefault(run["seed"], run) is not run:
            raise UserError(f"two runs of {', '.join(values.values())} have the seed {run['seed']}; leave one out")
    searches: dict[str, set] = {}
    for row in rows.values():
        system, *recipe = row["values"].values()
        searches.setdefault(system, set()).update((*recipe, seed) for seed in row["runs"])
    first, *others = searches
    for other in others:
        if missing := searches[first] ^ searches[other]:
            *recipe, seed = min(missing, key=str)
            raise UserError(f"only one of {first} and {other} was trained by {' '.join(recipe)} with the seed {seed}")
    return list(rows.values())


def with_best_epochs(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with the perplexities of each run's best epoch, by split and by the head of a column."""

    def figures(run: dict[str, Any]) -> dict[str, dict[str, float]]:
        epoch = run["epochs"][best_epoch(run) - 1]
        return {split: {head: epoch[split][label] for label, head in LABELS.items()} for split in epoch}

    return [{**row, "runs": {seed: figures(run) for seed, run in row["runs"].items()}} for row in rows]


def show(runs: Sequence[dict[str, Any]]) -> list[str]:
    """The tables: every recipe, each system by its best recipe with paired differences, and the curves by epoch."""
    rows = grouped(runs)
    recipe = [name for name in rows[0]["values"] if name != "system"]
    best = with_best_epochs(rows)
    return [
        *recipe_table(rows, best, recipe),
        *equal_care(best, ["system", *recipe], list(LABELS.values())),
        *("", "## Names that come back, by epoch", "", "Perplexity on test, mean over the seeds.", ""),
        *curve_table(rows, recipe),
    ]


def recipe_table(rows: Sequence[dict[str, Any]], best: Sequence[dict[str, Any]], recipe: Sequence[str]) -> list[str]:
    """A line for each system and recipe: the best epoch of each seed, mean and standard deviation of the results."""
    columns = [(split, head) for head in LABELS.values() for split in ("dev", "test")]
    lines = header(["system", *recipe, "seeds", "best epoch", *(f"{split}, {head}" for split, head in columns)])
    for row, results in zip(rows, best, strict=True):
        epochs = ", ".join(str(best_epoch(run)) for run in row["runs"].values())
        cells = (spread([run[split][head] for run in results["runs"].values()], 2) for split, head in columns)
        lines.append(row_of([*row["values"].values(), str(len(row["runs"])), epochs, *cells]))
    return lines


def curve_table(rows: Sequence[dict[str, Any]], recipe: Sequence[str]) -> list[str]:
    """A line for each system and recipe: the perplexity on names that come back, a column for each epoch."""
    longest = max(len(run["epochs"]) for row in rows for run in row["runs"].values())
    lines = header(["system", *recipe, *map(str, range(1, longest + 1))])
    for row in rows:
        curves = [[epoch["test"]["recall"] for epoch in run["epochs"]] for run in row["runs"].values()]
        means = [f"{mean(epoch):.1f}" for epoch in zip(*curves, strict=False)]  # as far as all seeds went
        lines.append(row_of([*row["values"].values(), *means, *[""] * (longest - len(means))]))
    return lines


def make_parser() -> argparse.ArgumentParser:
    parser = OneLineParser(prog="python -m tools.epoch_tables", description=__doc__, allow_abbrev=False,
                           formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN", help="folders of finished runs of tools.by_epoch")
    parser.add_argument("--system", default="score", help="the setting that distinguishes the systems (default: score)")
    parser.add_argument(
        "--recipe",
        nargs="+",
        default=["optimiser", "epochs"],
        help="settings that make a recipe (default: optimiser epochs)",
    )
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the numbers to FILE as JSON")
    parser.add_argument("--from", dest="source", type=Path, metavar="FILE", help="also use the runs of such a file")
    return parser


@exits_cleanly
def main() -> None:
    arguments = make_parser().parse_args()
    if not arguments.runs and not arguments.source:
        raise UserError("name runs, --from with a record, or both")
    runs = [read_run(folder, arguments.system, arguments.recipe) for folder in arguments.runs]
    if arguments.source:
        with reading(arguments.source, "no such file", "not a record of this program; record it again"):
            runs = [*read_json(arguments.source)["runs"], *runs]
            tables = show(runs)
    else:
        tables = show(runs)
    print("\n".join(tables))
    if arguments.record:
        write_json(arguments.record, {"runs": runs})


if __name__ == "__main__":
    main()
