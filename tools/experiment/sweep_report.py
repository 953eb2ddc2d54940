"""The report of a sweep: a table, a picture, and every number in sweep.json."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean

from matplotlib import pyplot as plt

from common.errors import UserError
from common.files import atomic_write, reading, write_json
from common.plots.plotting import save_figure
from common.training.past_runs import read_config
from tools.compare import SEEDS_OF_A_CLAIM
from tools.metrics import read_metrics, spread, three_digits
from tools.tables import header, row_of

from .equal_care import equal_care

MEASURES = ("perplexity", "stream_perplexity", "salton2017_perplexity", "bleu", "loss", "accuracy")
"""What is shown of the splits, where all runs have it; the first one seed by seed. The second is of the text read in
order, the third the perplexity in the accounting of Salton et al. (2017)."""
SPLITS = ("dev", "test")
BROKEN = "damaged; remove the folder, and the run is made again"
NEEDED = ("parameters", "seconds", "versions.machine", "versions.python", "versions.numpy", "test")

Runs = Sequence[tuple[Mapping[str, str], Mapping[int, Path]]]
"""Of each combination its values by column, and its runs by seed."""


def write_report(chapter: str, combinations: Runs, swept: Sequence[str], folder: Path) -> tuple[Path, Path]:
    """Write sweep.md, sweep.png and sweep.json into `folder`; the first two paths. swept: columns with several values.

    Raises `UserError` where runs on corpora of one name were trained on different ones, and where they have no result
    in common.
    """
    check_corpora(chapter, [path for _, runs in combinations for path in runs.values()])
    rows = [
        {"values": dict(values), "runs": {seed: read_metrics(path, *NEEDED) for seed, path in runs.items()}}
        for values, runs in combinations
    ]
    every = [run for row in rows for run in row["runs"].values()]
    first, measures = every[0], in_common(every)
    lines = [*heading(chapter, rows, swept, first), *table(rows, swept, measures)]
    if len({row["values"].get("system") for row in rows}) > 1:
        lines += equal_care(rows, swept, measures)
    write_json(folder / "sweep.json", {"chapter": chapter, "rows": [exact(row, measures) for row in rows]})
    draw(rows, swept, measures, folder / "sweep.png")
    with atomic_write(folder / "sweep.md") as file:
        file.write("\n".join(lines) + "\n")
    return folder / "sweep.md", folder / "sweep.png"


def in_common(runs: Sequence[Mapping]) -> list[str]:
    """The measures that all runs have. Raises `UserError` where there is none."""
    parts = [run[split] for run in runs for split in SPLITS if split in run]
    measures = [name for name in MEASURES if all(name in part for part in parts)]
    if not measures:
        raise UserError(f"the runs have none of the results {', '.join(MEASURES)} in common; there is nothing to show")
    return measures


def check_corpora(chapter: str, runs: Sequence[Path]) -> None:
    """Raises `UserError` for a run on another corpus than an earlier one whose corpus has the same name."""
    checksums: dict[str, tuple[str, Path]] = {}
    for run in runs:
        config = read_config(run, chapter)
        with reading(run / "config.json", BROKEN, BROKEN):
            name, content = str(config["settings"].get("corpus", "")), config.get("fingerprints", {}).get("corpus")
        other, path = checksums.setdefault(name, (content, run))
        if other != content:
            raise UserError(f"{run}: not trained on the same {name} as {path}; remove the older one")


def exact(row: dict, measures: Sequence[str]) -> dict:
    """The numbers of a row, with all their digits."""
    runs = {
        seed: {"parameters": metrics["parameters"], "seconds": metrics["seconds"]}
        | {split: {name: metrics[split][name] for name in measures} for split in SPLITS if split in metrics}
        for seed, metrics in row["runs"].items()
    }
    return {"values": row["values"], "runs": runs}


def heading(chapter: str, rows: Sequence[dict], swept: Sequence[str], first: dict) -> list[str]:
    fixed = {name: value for name, value in rows[0]["values"].items() if name not in swept}
    machines = {" ".join(run["versions"].values()) for row in rows for run in row["runs"].values()}
    versions = first["versions"]
    lines = [
        f"# {chapter} over {', '.join(swept) or 'seeds'}",
        "",
        "Mean ± standard deviation over the seeds. Each run had one thread"
        f" ({versions['machine']}, Python {versions['python']}, {versions.get('dynet', 'no DyNet')},"
        f" NumPy {versions['numpy']}; written on a machine with {os.cpu_count()} cores).",
    ]
    if len(machines) > 1:
        lines.append("Not all runs had these versions: their last digits may differ for that reason alone.")
    if fixed:
        lines.append("All have " + ", ".join(f"{name} {value}" for name, value in fixed.items()) + ".")
    if min(len(row["runs"]) for row in rows) < SEEDS_OF_A_CLAIM:
        lines.append(f"A claim that one value is better takes {SEEDS_OF_A_CLAIM} seeds of each: none is made here.")
    return [*lines, ""]


def table(rows: Sequence[dict], swept: Sequence[str], measures: Sequence[str]) -> list[str]:
    """A line for each combination: mean and spread of each measure, and the first measure of each seed."""
    seeds = sorted({seed for row in rows for seed in row["runs"]})
    runs = [run for row in rows for run in row["runs"].values()]
    columns = [(split, name) for name in measures for split in SPLITS if all(split in run for run in runs)]
    single = [f"seed {seed}" for seed in seeds]
    names = [*swept, "parameters", *(f"{split} {name}" for split, name in columns), *single, "seconds"]
    lines = header(names)
    for row in rows:
        results = list(row["runs"].values())
        cells = [
            *(f"`{row['values'][name]}`" for name in swept),
            f"{results[0]['parameters']:,}",
            *(spread([run[split][name] for run in results]) for split, name in columns),
            *(three_digits(row["runs"][seed]["test"][measures[0]]) if seed in row["runs"] else "" for seed in seeds),
            f"{mean(run['seconds'] for run in results):.0f}",
        ]
        lines.append(row_of(cells))
    return [*lines, "", f"Below each seed: its {measures[0]} on the test split. `sweep.json` has all digits."]


def draw(rows: Sequence[dict], swept: Sequence[str], measures: Sequence[str], path: Path) -> None:
    """One panel a measure, on the test split: along it the first setting, a line for each value of the others, a dot
    for each seed."""
    along, others = (swept[0] if swept else ""), swept[1:]
    places = list(dict.fromkeys(row["values"].get(along, "") for row in rows))
    lines = list(dict.fromkeys(tuple(row["values"][name] for name in others) for row in rows))
    colours = plt.get_cmap("viridis")([0.85 * number / len(lines) for number in range(len(lines))])
    figure, panels = plt.subplots(1, len(measures), figsize=(4.5 * len(measures), 3.6), squeeze=False)
    for panel, measure in zip(panels[0], measures, strict=True):
        for line, colour in zip(lines, colours, strict=True):
            own = [row for row in rows if tuple(row["values"][name] for name in others) == line]
            values = [[run["test"][measure] for run in row["runs"].values()] for row in own]
            x = [places.index(row["values"].get(along, "")) for row in own]
            name = ", ".join(f"{other} {value}" for other, value in zip(others, line, strict=True))
            panel.plot(x, [mean(by_seed) for by_seed in values], "-", color=colour, label=name)
            for place, by_seed in zip(x, values, strict=True):
                panel.plot([place] * len(by_seed), by_seed, ".", color=colour)
        panel.set_xticks(range(len(places)), places)
        panel.set_xlabel(along)
        panel.set_ylabel(f"test {measure}")
    if others:
        panels[0][0].legend(frameon=False)
    figure.tight_layout()
    save_figure(figure, path)
