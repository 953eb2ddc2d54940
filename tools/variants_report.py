"""The tables of `python -m tools.variants`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from common.files import atomic_write
from tools.ladder_report import spread


def write_report(measured: Mapping[str, dict], folder: Path) -> Path:
    """Write VARIANTS.md into `folder`; its path. measured: corpus -> what `variants.measure` returns."""
    path = folder / "VARIANTS.md"
    lines = ["# The three variants", "", *heading()]
    for corpus, found in measured.items():
        lines += [*figures(corpus, found), *significance(found)]
    with atomic_write(path) as file:
        file.write("\n".join(lines[:-1]) + "\n")
    return path


def heading() -> list[str]:
    return [
        "`python -m tools.variants --corpus NAME` trains the variants of chapter 9 with the same settings and writes",
        "this page. Figures are mean ± standard deviation over the seeds; translations are found by greedy search.",
        "Words per CPU second are target words and `</s>` in training, on one core, the variants in turn.",
        "",
        "The second table of each corpus says how much better one variant is than another. Its p comes from paired",
        "bootstrap resampling of the test sentences (Koehn 2004): it is the share of resampled test sets on which the",
        "difference strays from the one that was found by at least as much as that one lies from zero. Under *all*,",
        "the difference is that of the means over the seeds, and a sentence is drawn with the outputs of all trainings",
        "at once. So p says whether these trainings would differ on other sentences, too. Whether other trainings",
        "would is for the spread over the seeds to say.",
        "",
    ]


def figures(corpus: str, found: dict) -> list[str]:
    names = ["", "parameters", "perplexity, dev", "test", *found["metrics"], "words per CPU second"]
    first = next(iter(found["runs"].values()))
    lines = [
        f"## {corpus}",
        "",
        f"Preset `{found['preset']}`, {len(first)} seed{'s' * (len(first) > 1)}.",
        "",
        "| " + " | ".join(names) + " |",
        "|---" * len(names) + "|",
    ]
    for name, runs in found["runs"].items():
        cells = [
            f"`{name}`",
            f"{runs[0]['parameters']:,}",
            *(spread([run["perplexity"][split] for run in runs]) for split in ("dev", "test")),
            *(spread([run[metric] for run in runs]) for metric in found["metrics"]),
            f"{found['words_per_cpu_second'][name]:,.0f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def significance(found: dict) -> list[str]:
    """One row a pair of variants and metric: each seed, then the means of all."""
    seeds = [run["seed"] for run in next(iter(found["runs"].values()))]
    names = ["better by", "", *(f"seed {seed}" for seed in seeds), "all", "95% of the resamples"]
    lines = ["| " + " | ".join(names) + " |", "|---" * len(names) + "|"]
    for row in found["differences"]:
        means = row["means"]
        cells = [
            f"`{row['second']}` than `{row['first']}`",
            row["metric"],
            *map(told, row["seeds"]),
            f"**{told(means)}**",
            f"{means['low']:+.2f} to {means['high']:+.2f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def told(difference: Mapping[str, float]) -> str:
    return f"{difference['found']:+.2f} (p = {difference['p']:.3f})"
