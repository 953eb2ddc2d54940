"""The ladder in words, tables and pictures: RESULTS.md, RESULTS.png and RESULTS_pairs.png."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean, median

from matplotlib import pyplot as plt

from common.files import atomic_write
from common.plots.plotting import save_figure
from tools.metrics import spread, three_digits

CLAIMS = {
    "local": "local order",
    "selection": "selectional preference",
    "agreement": "agreement",
    "recall": "a name that comes back",
}
"""The four phenomena that the grammar contains on purpose, each for one rung to learn."""

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


def write_report(models: dict, translation: dict, ptb: Mapping[str, dict], folder: Path) -> list[Path]:
    """Write RESULTS.md and its two pictures into `folder`; their paths.

    models, translation: as `ladder.measure` and `ladder.measure_pairs` return them; ptb: chapter -> figures on the
    Penn Treebank, where they were measured.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text, picture, pairs_picture = (folder / name for name in ("RESULTS.md", "RESULTS.png", "RESULTS_pairs.png"))
    draw(models, CLAIMS, picture)
    draw(translation, PAIR_CLAIMS, pairs_picture)
    lines = [*heading(models["rungs"]), *language_models(models, ptb), *translation_models(translation), ""]
    with atomic_write(text) as file:
        file.write("\n".join(lines))
    return [text, picture, pairs_picture]


def heading(rungs: Sequence[dict]) -> list[str]:
    versions, seeds = rungs[-1]["metrics"][0]["versions"], len(rungs[0]["metrics"])
    return [
        "# The ladder",
        "",
        "`make ladder` (`python -m tools.ladder`) trains the quick preset of every chapter that trains a model of text",
        f"on the embedded corpora with {seeds} seed{'s' * (seeds > 1)} each, and writes this page: mean ± standard",
        f"deviation over the seeds, on the test splits. A run had one thread ({versions['machine']}, Python",
        f"{versions['python']}, {versions['dynet']}, NumPy {versions['numpy']}; written on a machine with"
        f" {os.cpu_count()} cores).",
        "Seconds and tokens a second are by the clock, medians over the seeds.",
        "",
    ]


def language_models(part: dict, ptb: Mapping[str, dict]) -> list[str]:
    """Chapters 1 to 6 on the village."""
    return [
        "## Language models",
        "",
        f"{oracle_line(part['rungs'])}",
        "",
        "![What each rung pays beyond the oracle, by phenomenon](RESULTS.png)",
        "",
        *overall(part["rungs"], {"Penn Treebank, test": lambda rung: on_ptb(rung, ptb)}),
        *(["", *ptb_notes(part["rungs"], ptb)] if ptb else []),
        "",
        "### What each rung learns",
        "",
        "The grammar knows what decides each word of the test split (`python -m tools.phenomena`). Perplexity on",
        "exactly those words:",
        "",
        *by_phenomenon(part, CLAIMS, OTHERS),
        "",
    ]


def translation_models(part: dict) -> list[str]:
    """Chapters 7 to 10 on the pairs of the village."""
    signature = part["rungs"][0]["metrics"][0]["test"]["signature"]
    return [
        "## Translation models",
        "",
        f"{oracle_line(part['rungs'])} A word costs the oracle",
        f"something only where the grammar leaves a choice. BLEU is of greedy search, `{signature}`.",
        "The gates are chapter 9's default, whose gated contexts also reach the output layer; the poster's own are in",
        "[its results](chapters/09_word_attention/RESULTS.md#translation). Both models of chapter 10 are chapter 8's",
        "with one thing more, its presets `copying` and `pieces` (1,000 of them). A model of pieces has no unknown",
        "words: its perplexity is of all words, spelling included; its speed counts pieces. `copying` pays for the",
        "spelling of an unknown word even where it copies it, but not in the table by phenomenon: in its last row the",
        "models of chapters 7 to 9 pay for `<unk>`, `copying` for the word itself where the source has it, and pieces",
        "for all of the spelling.",
        "",
        "![What each rung pays beyond the oracle, by phenomenon](RESULTS_pairs.png)",
        "",
        *overall(part["rungs"], {"BLEU": lambda rung: spread([run["test"]["bleu"] for run in rung["metrics"]])}),
        "",
        "### What each rung learns to translate",
        "",
        "What decides each target word (`python -m tools.pair_phenomena`), and the perplexity on exactly those words:",
        "",
        *by_phenomenon(part, PAIR_CLAIMS, PAIR_OTHERS),
    ]


def oracle_line(rungs: Sequence[dict]) -> str:
    found = rungs[0]["metrics"][0]["test"]
    best, known = found["oracle_perplexity"], found["oracle_known_perplexity"]
    return (
        f"The oracle's perplexity, the best on average over texts, is {best:.2f}. Without the words that the models\n"
        f"do not know, whose spelling each model pays for and the oracle does not, it is {known:.2f}."
    )


def on_ptb(rung: dict, ptb: Mapping[str, dict]) -> str:
    return f"{ptb[rung['chapter']]['test']:.1f}" if rung["chapter"] in ptb else ""


def overall(rungs: Sequence[dict], more: Mapping[str, Callable[[dict], str]]) -> list[str]:
    """The table of perplexities, one row per rung. more: further columns, and their contents."""
    names = ["chapter", "model", "parameters", "perplexity", "gap to the oracle", "without unknown words", "gap"]
    names += ["tokens per second", "seconds", *more]
    lines = ["| " + " | ".join(names) + " |", "|---" * len(names) + "|"]
    for rung in rungs:
        metrics = rung["metrics"]
        cells = [
            f"[{rung['chapter'][:2]}](chapters/{rung['chapter']}/README.md)",
            rung["name"],
            f"{metrics[0]['parameters']:,}",
            *perplexity_and_gap(metrics, "perplexity"),
            *(perplexity_and_gap(metrics, "known_perplexity") if metrics[0]["test"]["unknown"] else ["", ""]),
            f"{median(run['tokens_per_second'] for run in metrics):,.0f}",
            f"{median(run['seconds'] for run in metrics):.0f}",
            *(column(rung) for column in more.values()),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def perplexity_and_gap(metrics: Sequence[dict], kind: str) -> list[str]:
    """A perplexity of the runs on test, and by how much it is above the oracle's, as two cells of the table."""
    found, best = ([run["test"][name] for run in metrics] for name in (kind, f"oracle_{kind}"))
    return [spread(found), f"{mean(one / other - 1 for one, other in zip(found, best, strict=True)):+.0%}"]


def ptb_notes(rungs: Sequence[dict], ptb: Mapping[str, dict]) -> list[str]:
    """How the results on the Penn Treebank were obtained."""
    lines = [
        "On the Penn Treebank: `python -m tools.ladder --ptb`, seed 1, one thread each. `</s>` is counted, and every",
        "sentence stands on its own. Chapter 1's preset has *modified* Kneser-Ney smoothing there. Chapter 6's",
        "has twelve epochs, more dropout and one layer more than chapter 5's with its five, so the two rows do not",
        "show what attention is worth: [its page](chapters/06_attentive_lm/RESULTS.md#the-penn-treebank) has it",
        "without, too, and what another seed is worth there: 0.2 and 0.3 on test (standard deviation). Minutes and",
        "speed are in the chapters.",
        *sorted({row["note"] for row in ptb.values() if "note" in row}),
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


def by_phenomenon(part: dict, claims: Mapping[str, str], others: Mapping[str, str]) -> list[str]:
    """The table of the phenomena, one column per rung, and which rung takes the largest step on each of the claims."""
    rungs, oracle = part["rungs"], part["oracle"]
    lines = [
        "| decided by | predictions | oracle | " + " | ".join(rung["name"] for rung in rungs) + " |",
        "|---|---|---|" + "---|" * len(rungs),
    ]
    for label, words in {**claims, **others}.items():
        count, best = oracle[label]
        found = [[run[label][1] for run in rung["phenomena"]] for rung in rungs]
        cells = " | ".join(spread(values) for values in found)
        lines.append(f"| {words} | {count:,} | {three_digits(best)} | {cells} |")
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
    return lines


def draw(part: dict, claims: Mapping[str, str], path: Path) -> None:
    """One panel per phenomenon: nats per word beyond the oracle's, one bar per rung, one dot per seed."""
    rungs, oracle = part["rungs"], part["oracle"]
    figure, panels = plt.subplots(1, len(claims), figsize=(3 * len(claims), 3.6), sharey=False)
    colours = plt.get_cmap("viridis")([position / len(rungs) for position in range(len(rungs))])
    for panel, (label, words) in zip(panels, claims.items(), strict=True):
        count, best = oracle[label]
        for place, (rung, colour) in enumerate(zip(rungs, colours, strict=True)):
            excess = [math.log(run[label][1] / best) for run in rung["phenomena"]]
            panel.bar(place, mean(excess), color=colour, label=f"{rung['chapter'][:2]} {rung['name']}")
            panel.plot([place] * len(excess), excess, ".", color="black", markersize=4)
        panel.set_title(f"{words}\n{count:,} predictions", fontsize=10)
        panel.set_xticks(range(len(rungs)), [rung["chapter"][:2] for rung in rungs])
        panel.set_xlabel("chapter")
    panels[0].set_ylabel("nats per word beyond the oracle")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="upper center", bbox_to_anchor=(0.5, 0.02), ncol=len(rungs), frameon=False)
    figure.tight_layout()
    save_figure(figure, path)
