"""What does another machine or build of DyNet change?

The same seed gives the same digits on one machine with one build of DyNet, and slightly different ones elsewhere. For
each chapter and corpus, over the seeds that were trained with every build: the largest difference between two builds
with the same seed, next to the largest difference between two seeds of the same build and the largest standard
deviation over the seeds of a build. All of the test split, in a Markdown table.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import stdev

from common.errors import UserError
from tools.metrics import read_metrics
from tools.tables import header, row_of

MEASURES = {"perplexity": 3, "bleu": 2}
"""What is compared, with the digits to show."""

Kind = tuple[str, str]
Runs = Mapping[str, Mapping[Kind, Mapping[int, dict]]]
"""By build, by chapter and corpus, by seed: the scores of the run."""


def read_builds(groups: Sequence[Sequence[str]]) -> Runs:
    """groups: each the name of a build and its run folders. Raises `UserError` for two runs with one seed."""
    builds: dict[str, dict[Kind, dict[int, dict]]] = {}
    for name, *folders in groups:
        if name in builds:
            raise UserError(f"--build {name}: given twice; give all runs of a build at once")
        builds[name] = defaultdict(dict)
        for folder in folders:
            metrics = read_metrics(Path(folder), "chapter", "corpus", "seed", "test")
            kind, seed = (metrics["chapter"], metrics["corpus"]), metrics["seed"]
            if seed in builds[name][kind]:
                raise UserError(f"{folder}: {name} already has a run of {' on '.join(kind)} with seed {seed}")
            builds[name][kind][seed] = metrics["test"]
    if len(builds) < 2:
        raise UserError("two builds or more are needed: --build NAME RUN RUN ... --build NAME RUN RUN ...")
    return builds


def table(builds: Runs) -> list[str]:
    """A row for each chapter and corpus. Raises `UserError` where no seed was trained with every build."""
    names = [f"{measure}: {source}" for measure in MEASURES for source in ("builds", "seeds", "standard deviation")]
    lines = header(["chapter", "corpus", "seeds", *names])
    for kind in sorted({kind for runs in builds.values() for kind in runs}):
        by_seed = [runs.get(kind, {}) for runs in builds.values()]
        seeds = sorted(set.intersection(*map(set, by_seed)))
        if seeds:
            cells = [*kind, str(len(seeds))]
            for measure, digits in MEASURES.items():
                rows = [[runs[seed].get(measure) for seed in seeds] for runs in by_seed]
                cells += ["", "", ""] if any(None in row for row in rows) else spreads(rows, digits)
            lines.append(row_of(cells))
    if len(lines) == 2:
        raise UserError("no chapter was trained with the same seed and every build")
    return lines


def spreads(rows: Sequence[Sequence[float]], digits: int) -> list[str]:
    """Largest difference between builds, between seeds, and standard deviation. rows: builds x seeds."""
    builds = max(max(column) - min(column) for column in zip(*rows, strict=True))
    if len(rows[0]) == 1:
        return [f"{builds:.{digits}f}", "", ""]
    seeds = max(max(row) - min(row) for row in rows)
    return [f"{value:.{digits}f}" for value in (builds, seeds, max(map(stdev, rows)))]


def by_build(arguments: argparse.Namespace) -> str:
    return "\n".join(table(read_builds(arguments.system)))
