"""The tables of `python -m tools.variants`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from common.files import atomic_write
from tools.compare import LOG_PERPLEXITY, SEEDS_OF_A_CLAIM, digits
from tools.metrics import spread

Questions = Mapping[str, Sequence[tuple[str, str]]]
"""Pairs of systems, by what their comparison is about."""


def write_report(measured: Mapping[str, dict], questions: Questions, folder: Path) -> Path:
    """Write VARIANTS.md into `folder`; its path. measured: corpus -> what `variants.measure` returns."""
    path = folder / "VARIANTS.md"
    lines = ["# The systems of chapter 9", "", *heading()]
    for corpus, found in measured.items():
        lines += [*systems(corpus, found), *comparisons(found, questions)]
    with atomic_write(path) as file:
        file.write("\n".join(lines[:-1]) + "\n")
    return path


def heading() -> list[str]:
    return [
        "`python -m tools.variants --corpus NAME --preset NAME` trains the systems of chapter 9 with the same settings",
        "and writes this page. A system is called after its flags `--variant`, `--query` and, where there are gates,",
        "`--output-contexts`. Scores are mean ± standard deviation over the seeds; translations are found by greedy",
        "search.",
        "",
        "A difference is that of the means over the seeds: A − B is positive where A has more. Its interval and",
        "its two-sided p come from a bootstrap that draws seeds and test sentences anew (`tools/significance.py`);",
        "those of log perplexity, in nats per word (lower is better), draw seeds only. Each p stands for itself: where",
        "there is no difference at all, one row in twenty has p < 0.05. The last column counts the seeds whose own",
        "difference has the sign of the mean's. `variants.json` has every run and every metric.",
        "",
    ]


def systems(corpus: str, found: dict) -> list[str]:
    """A corpus, and the scores of each system on it."""
    names = ["system", "seeds", "parameters", "perplexity, dev", "test", *found["metrics"]]
    lines = [f"## {corpus}", "", f"Preset `{found['preset']}`.", "", *header(names)]
    for name, runs in found["runs"].items():
        cells = [
            f"`{name}`",
            str(len(runs)),
            f"{runs[0]['parameters']:,}",
            *(spread([run["perplexity"][split] for run in runs]) for split in ("dev", "test")),
            *(spread([run[metric] for run in runs]) for metric in found["metrics"]),
        ]
        lines.append(row_of(cells))
    return [*lines, "", *(f"- {name}: `{signature}`" for name, signature in found["metrics"].items()), ""]


def comparisons(found: dict, questions: Questions) -> list[str]:
    """A table for each question: by how much the second system of each pair differs from the first."""
    shown = [LOG_PERPLEXITY, "BLEU", list(found["metrics"])[-1]]
    lines = []
    for question, pairs in questions.items():
        rows = [row for row in found["differences"] if (row["first"], row["second"]) in pairs]
        if rows:
            lines += [f"### {question}", "", *header(["", "", "difference", "95%", "p", "seeds of this sign"])]
            lines += [difference(row) for row in rows if row["metric"] in shown]
            lines += ["", *no_claim(rows)]
    return lines


def difference(row: dict) -> str:
    precision = digits(row["metric"])
    known = row["p"] is not None
    cells = [
        f"`{row['second']}` − `{row['first']}`",
        row["metric"],
        f"{row['found']:+.{precision}f}",
        f"{row['low']:+.{precision}f} to {row['high']:+.{precision}f}" if known else "",
        probability(row["p"]) if known else "",
        f"{row['alike']} of {row['of']}",
    ]
    return row_of(cells)


def no_claim(rows: Sequence[dict]) -> list[str]:
    """What to say where a system has too few seeds."""
    fewest = min(min(row["runs"]) for row in rows)
    if fewest >= SEEDS_OF_A_CLAIM:
        return []
    return [f"A system here has only {fewest} of the {SEEDS_OF_A_CLAIM} seeds that a claim takes: none is made.", ""]


def probability(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def header(names: Sequence[str]) -> list[str]:
    return [row_of(names), "|---" * len(names) + "|"]


def row_of(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
