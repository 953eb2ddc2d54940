"""The ladder in words, tables and pictures: RESULTS.md, RESULTS.png and RESULTS_pairs.png."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean, median, stdev

from matplotlib import pyplot as plt

from common import program_of
from common.files import atomic_write
from common.plots.ground import BLUE, GREEN, INK, OLIVE, ON_ANY_GROUND, ORANGE, PURPLE, RED, TEAL
from common.plots.plotting import save_figure
from common.text.vocab import counted
from tools.metrics import spread, three_digits
from tools.tables import header, row_of

CLAIMS = {
    "local": "local order",
    "selection": "selectional preference",
    "agreement": "agreement",
    "recall": "a name that comes back",
}
"""The four phenomena that the grammar contains on purpose, each for one rung to learn."""

TEMPLATE = Path(__file__).with_name("ladder.txt")
"""RESULTS.md, with the names of what is filled in."""
OTHERS = {"topic": "topic", "name": "a new name"}

PAIR_CLAIMS = {
    "reordering": "another order",
    "ambiguity": "which of two meanings",
    "name": "a name to be copied",
    "agreement": "agreement",
}
"""The same of the pairs: what decides a target word."""

PAIR_OTHERS = {
    "choice": "free choice",
    "local": "the next source word",
    "case": "a particle",
    "idiom": "an idiom",
    "<unk>": "any of these, but unknown to models of words",
}


COLOURS = (OLIVE, PURPLE, GREEN, ORANGE, BLUE, RED, TEAL, INK)
"""Of the rungs, in their order."""


def write_report(models: dict, translation: dict, ptb: Mapping[str, dict], folder: Path) -> list[Path]:
    """Write RESULTS.md and its two pictures into `folder`; their paths.

    models, translation: as `ladder.measure` and `ladder.measure_pairs` return them; ptb: chapter -> figures on the
    Penn Treebank, where they were measured.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text, picture, pairs_picture = (folder / name for name in ("RESULTS.md", "RESULTS.png", "RESULTS_pairs.png"))
    draw(models, CLAIMS, picture)
    draw(translation, PAIR_CLAIMS, pairs_picture)
    rungs, pair_rungs = models["rungs"], translation["rungs"]
    versions, seeds = rungs[-1]["metrics"][0]["versions"], len(rungs[0]["metrics"])
    page = TEMPLATE.read_text(encoding="utf-8").format(
        **versions,
        seeds=counted(seeds, "seed"),
        cores=os.cpu_count(),
        oracle=oracle_line(rungs),
        overall=overall(rungs, {"Penn Treebank, test": lambda rung: on_ptb(rung, ptb)}),
        ptb=ptb_table(rungs, ptb),
        phenomena=by_phenomenon(models, CLAIMS, OTHERS),
        pair_oracle=oracle_line(pair_rungs),
        signature=pair_rungs[0]["metrics"][0]["test"]["signature"],
        pair_overall=overall(
            pair_rungs, {"BLEU": lambda rung: spread([run["test"]["bleu"] for run in rung["metrics"]])}
        ),
        pair_phenomena=by_phenomenon(translation, PAIR_CLAIMS, PAIR_OTHERS),
    )
    with atomic_write(text) as file:
        file.write(page)
    return [text, picture, pairs_picture]


def oracle_line(rungs: Sequence[dict]) -> str:
    test = rungs[0]["metrics"][0]["test"]
    best, without_unknown = test["oracle_perplexity"], test["oracle_known_perplexity"]
    return (
        f"The oracle's perplexity, the best on average over texts, is {best:.2f}. Without the words that the models\n"
        f"do not know, whose spelling each model pays for and the oracle does not, it is {without_unknown:.2f}."
    )


def on_ptb(rung: dict, ptb: Mapping[str, dict]) -> str:
    return f"{ptb[rung['chapter']]['test']:.1f}" if rung["chapter"] in ptb else ""


def overall(rungs: Sequence[dict], more: Mapping[str, Callable[[dict], str]]) -> str:
    """The table of perplexities, one row per rung. more: further columns, and their contents."""
    names = ["chapter", "model", "parameters", "perplexity", "gap to the oracle", "without unknown words", "gap"]
    names += ["tokens per second", "seconds", *more]
    lines = header(names)
    for rung in rungs:
        metrics = rung["metrics"]
        cells = [
            f"[{rung['chapter'][:2]}]({program_of(rung['chapter'], 'README').rpartition('/')[0]}/README.md)",
            rung["name"],
            f"{metrics[0]['parameters']:,}",
            *perplexity_and_gap(metrics, "perplexity"),
            *(perplexity_and_gap(metrics, "known_perplexity") if metrics[0]["test"]["unknown"] else ["", ""]),
            f"{median(run['tokens_per_second'] for run in metrics):,.0f}",
            f"{median(run['seconds'] for run in metrics):.0f}",
            *(column(rung) for column in more.values()),
        ]
        lines.append(row_of(cells))
    return "\n".join(lines)


def perplexity_and_gap(metrics: Sequence[dict], kind: str) -> list[str]:
    """A perplexity of the runs on test, and by how much it is above the oracle's, as two cells of the table."""
    values, best = ([run["test"][name] for run in metrics] for name in (kind, f"oracle_{kind}"))
    return [spread(values), f"{mean(value / least - 1 for value, least in zip(values, best, strict=True)):+.0%}"]


def ptb_table(rungs: Sequence[dict], ptb: Mapping[str, dict]) -> str:
    """The results on the Penn Treebank."""
    lines = header(["chapter", "preset", "parameters", "epochs", "dev", "test"])
    for chapter in (rung["chapter"] for rung in rungs if rung["chapter"] in ptb):
        row = ptb[chapter]
        perplexities = (f"{row[split]:.2f}" for split in ("dev", "test"))
        lines.append(
            row_of([chapter[:2], f"`{row['preset']}`", f"{row['parameters']:,}", str(row["epochs"]), *perplexities])
        )
    return "\n".join(lines)


def by_phenomenon(part: dict, claims: Mapping[str, str], others: Mapping[str, str]) -> str:
    """The table of the phenomena, one column per rung, and which rung takes the largest step on each of the claims."""
    rungs, oracle = part["rungs"], part["oracle"]
    lines = header(["decided by", "predictions", "oracle", *(rung["name"] for rung in rungs)])
    for label, words in {**claims, **others}.items():
        count, best = oracle[label]
        cells = (spread([run[label][1] for run in rung["phenomena"]]) for rung in rungs)
        lines.append(row_of([words, f"{count:,}", three_digits(best), *cells]))
    lines += ["", "The largest step from one rung to the next, of the means over the seeds, in nats per word:", ""]
    for label, words in claims.items():
        means = [math.log(mean(run[label][1] for run in rung["phenomena"])) for rung in rungs]
        steps = [before - after for before, after in pairwise(means)]
        largest = max(range(len(steps)), key=steps.__getitem__)
        remaining = means[-1] - math.log(oracle[label][1])
        lines.append(
            f"- {words}: {steps[largest]:.2f}, from {rungs[largest]['name']} to {rungs[largest + 1]['name']}; "
            f"on the last rung {remaining:.2f} remain to the oracle"
        )
    return "\n".join(lines)


def draw(part: dict, claims: Mapping[str, str], path: Path) -> None:
    """One panel per phenomenon, all on one scale: nats per word beyond the oracle's, with one bar per rung, the mean
    over the seeds with its standard deviation.
    """
    rungs, oracle = part["rungs"], part["oracle"]
    with plt.rc_context(ON_ANY_GROUND):
        figure, panels = plt.subplots(1, len(claims), figsize=(2.15 * len(claims), 3.2), sharey=True)
        for panel, (label, words) in zip(panels, claims.items(), strict=True):
            count, best = oracle[label]
            for place, (rung, colour) in enumerate(zip(rungs, COLOURS, strict=False)):
                excess = [math.log(run[label][1] / best) for run in rung["phenomena"]]
                above = stdev(excess) if len(excess) > 1 else 0
                name = f"{rung['chapter'][:2]} {rung['name']}"
                panel.bar(place, mean(excess), yerr=above, color=colour, ecolor=INK, capsize=2, label=name)
            panel.set_title(f"{words}\n{count:,} predictions")
            panel.set_xticks(range(len(rungs)), [rung["chapter"][:2] for rung in rungs])
            panel.set_xlabel("chapter")
        panels[0].set_ylabel("nats per word beyond the oracle")
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="upper center", bbox_to_anchor=(0.5, 0.02), ncol=3, frameon=False)
        figure.tight_layout()
        save_figure(figure, path)
