"""The ladder in words, tables and a picture: RESULTS.md and RESULTS.png."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean, stdev

from matplotlib import pyplot as plt

from common.files import atomic_write
from common.plotting import save_figure

CLAIMS = {
    "local": "local order",
    "selection": "selectional preference",
    "agreement": "agreement",
    "recall": "a name that comes back",
}
"""The four phenomena that the grammar contains on purpose, each for one rung to learn."""

OTHERS = {"topic": "topic", "name": "a new name"}


def write_report(measured: dict, ptb: Mapping[str, dict], folder: Path) -> list[Path]:
    """Write RESULTS.md and RESULTS.png into `folder`; their paths.

    measured: as `ladder.measure` returns it; ptb: chapter -> figures on the Penn Treebank, where they were measured.
    """
    rungs, oracle = measured["rungs"], measured["oracle"]
    folder.mkdir(parents=True, exist_ok=True)
    text, picture = folder / "RESULTS.md", folder / "RESULTS.png"
    draw(rungs, oracle, picture)
    with atomic_write(text) as file:
        file.write("\n".join([*heading(rungs), *overall(rungs, ptb), *by_phenomenon(rungs, oracle), ""]))
    return [text, picture]


def heading(rungs: Sequence[dict]) -> list[str]:
    first = rungs[0]["metrics"][0]
    versions, seeds = rungs[-1]["metrics"][0]["versions"], len(rungs[0]["metrics"])
    return [
        "# The ladder",
        "",
        "`make ladder` (`python -m tools.ladder`) trains the quick preset of every language-model chapter on the",
        f"embedded corpus, seeds 1 to {seeds}, and writes this page: mean ± standard deviation over the seeds, on the",
        f"test split. Each training had one thread of a machine with {os.cpu_count()} cores ({versions['machine']},",
        f"Python {versions['python']}, {versions['dynet']}, NumPy {versions['numpy']}).",
        "",
        f"The oracle's perplexity, the lowest possible, is {first['test']['oracle_perplexity']:.2f}.",
        "",
        "![What each rung pays beyond the oracle, by phenomenon](RESULTS.png)",
        "",
    ]


def overall(rungs: Sequence[dict], ptb: Mapping[str, dict]) -> list[str]:
    """The table of perplexities, one row a rung."""
    lines = [
        "| chapter | model | parameters | perplexity | gap to the oracle | tokens per second | seconds | "
        "Penn Treebank, test |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for rung in rungs:
        metrics = rung["metrics"]
        gap = mean(run["test"]["perplexity"] / run["test"]["oracle_perplexity"] - 1 for run in metrics)
        cells = [
            f"[{rung['chapter'][:2]}](chapters/{rung['chapter']}/README.md)",
            rung["name"],
            f"{metrics[0]['parameters']:,}",
            spread([run["test"]["perplexity"] for run in metrics]),
            f"{gap:+.0%}",
            f"{mean(run['tokens_per_second'] for run in metrics):,.0f}",
            f"{mean(run['seconds'] for run in metrics):.0f}",
            f"{ptb[rung['chapter']]['test']:.1f}" if rung["chapter"] in ptb else "",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    if ptb:
        lines += ["", *ptb_notes(rungs, ptb)]
    return [*lines, ""]


def ptb_notes(rungs: Sequence[dict], ptb: Mapping[str, dict]) -> list[str]:
    """How the figures of the Penn Treebank came about."""
    lines = [
        "On the Penn Treebank: `python -m tools.ladder --ptb`, seed 1, one thread each. `</s>` is counted, and every",
        "sentence stands on its own. Minutes and speed are in the chapters.",
        "",
        "| chapter | preset | parameters | epochs | dev | test |",
        "|---|---|---|---|---|---|",
    ]
    for rung in rungs:
        if rung["chapter"] in ptb:
            row = ptb[rung["chapter"]]
            lines.append(
                f"| {rung['chapter'][:2]} | `{row['preset']}` | {row['parameters']:,} | {row['epochs']} | "
                f"{row['dev']:.2f} | {row['test']:.2f} |"
            )
    return lines


def by_phenomenon(rungs: Sequence[dict], oracle: Mapping[str, tuple[int, float]]) -> list[str]:
    """The table of the phenomena, one column a rung, and which rung takes the largest step on each."""
    lines = [
        "## What each rung learns",
        "",
        "The grammar knows what decides each word of the test split (`python -m tools.phenomena`). Perplexity on",
        "exactly those words:",
        "",
        "| decided by | predictions | oracle | " + " | ".join(rung["name"] for rung in rungs) + " |",
        "|---|---|---|" + "---|" * len(rungs),
    ]
    for label, words in {**CLAIMS, **OTHERS}.items():
        count, best = oracle[label]
        found = [[run[label][1] for run in rung["phenomena"]] for rung in rungs]
        cells = " | ".join(spread(values) for values in found)
        lines.append(f"| {words} | {count:,} | {three_digits(best)} | {cells} |")
    lines += ["", "The largest step from one rung to the next, in nats a word:", ""]
    for label, words in CLAIMS.items():
        means = [math.log(mean(run[label][1] for run in rung["phenomena"])) for rung in rungs]
        steps = [before - after for before, after in pairwise(means)]
        largest = max(range(len(steps)), key=steps.__getitem__)
        remaining = means[-1] - math.log(oracle[label][1])
        lines.append(
            f"- {words}: {steps[largest]:.2f}, from {rungs[largest]['name']} to {rungs[largest + 1]['name']}; "
            f"on the last rung {remaining:.2f} remain to the oracle"
        )
    return lines


def three_digits(value: float) -> str:
    """Three figures that count."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 20 else f"{value:.2f}"


def spread(values: Sequence[float]) -> str:
    """Mean ± standard deviation, or the one value there is."""
    middle = mean(values)
    if len(values) == 1:
        return three_digits(middle)
    digits = len(three_digits(middle).partition(".")[2])
    return f"{three_digits(middle)} ± {stdev(values):.{digits}f}"


def draw(rungs: Sequence[dict], oracle: Mapping[str, tuple[int, float]], path: Path) -> None:
    """One panel a phenomenon: nats a word beyond the oracle's, a bar a rung, a dot a seed."""
    figure, panels = plt.subplots(1, len(CLAIMS), figsize=(3 * len(CLAIMS), 3.6), sharey=False)
    colours = plt.get_cmap("viridis")([position / len(rungs) for position in range(len(rungs))])
    for panel, (label, words) in zip(panels, CLAIMS.items(), strict=True):
        count, best = oracle[label]
        for place, (rung, colour) in enumerate(zip(rungs, colours, strict=True)):
            excess = [math.log(run[label][1] / best) for run in rung["phenomena"]]
            panel.bar(place, mean(excess), color=colour, label=f"{rung['chapter'][:2]} {rung['name']}")
            panel.plot([place] * len(excess), excess, ".", color="black", markersize=4)
        panel.set_title(f"{words}\n{count:,} predictions", fontsize=10)
        panel.set_xticks(range(len(rungs)), [rung["chapter"][:2] for rung in rungs])
        panel.set_xlabel("chapter")
    panels[0].set_ylabel("nats a word beyond the oracle")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="upper center", bbox_to_anchor=(0.5, 0.02), ncol=len(rungs), frameon=False)
    figure.tight_layout()
    save_figure(figure, path)
