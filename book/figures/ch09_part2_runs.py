"""The figures of chapter 9's second part that show trained models: from figures/part2.json and variants.json."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from book.figures import recorded as records
from book.figures.ch09_runs import attentions, variants
from book.figures.plots import drawing
from book.figures.style import BLUE, GREEN, INK, ORANGE

CHAPTER = "09_word_attention"
RECORD = "figures/part2.json"
ROUGE = ("ROUGE-1", "ROUGE-2", "ROUGE-L")
PUBLISHED = {
    "abs": (29.55, 11.32, 26.42),
    "ras-elman": (33.78, 15.97, 31.15),
    "luong": (33.10, 14.45, 30.71),
    "rnnsearch": (33.67, 15.68, 31.67),
    "word": (35.64, 16.64, 33.03),
    "gates": (35.93, 16.99, 33.41),
}
"""ROUGE-1, -2 and -L on Gigaword as the poster's Table 1 has them (Wu et al. 2018)."""
AS_PRINTED = {"rnnsearch": "rnnsearch-state", "word": "word-state", "gates": "gates-state-plain"}
"""The chapter's systems with the poster's query and contexts, by their names in variants.json."""
NAMES = {
    "abs": "ABS", "ras-elman": "RAS-Elman", "ras-lstm": "RAS-LSTM", "luong": "Luong-NMT", "rnnsearch": "RNNsearch",
    "word": "+ word attention", "gates": "+ gates",
}  # fmt: skip


def recorded() -> dict:
    """What was recorded. Raises `UserError` where nothing was."""
    return records.recorded(CHAPTER, RECORD)


def with_printed(runs: Mapping[str, list]) -> dict[str, list]:
    """Recorded runs by system, and beside them those of the chapter's systems as printed, from variants.json."""
    own = variants()["village_headlines"]["runs"]
    return {**runs, **{name: own[system] for name, system in AS_PRINTED.items()}}


def scores() -> dict[str, np.ndarray]:
    """By system: ROUGE-1, -2 and -L of each of its runs on the embedded headlines, (runs, 3)."""
    runs = with_printed(recorded()["runs"])
    return {name: np.array([[run[kind] for kind in ROUGE] for run in runs[name]]) for name in NAMES}


@drawing(9.0, 3.3, columns=2, sharey=True)
def summariser_scores(left: Axes, right: Axes) -> None:
    """ROUGE of each run on the embedded headlines, and beside it the published numbers on Gigaword."""
    names = list(NAMES)
    for shift, column, kind, colour in zip((-0.2, 0, 0.2), range(3), ROUGE, (BLUE, ORANGE, GREEN), strict=True):
        for place, name in enumerate(names):
            values = np.round(scores()[name][:, column], 4)
            left.plot(values, [place + shift] * len(values), "o", color=colour, markersize=4, alpha=0.7)
            if name in PUBLISHED:
                right.plot(PUBLISHED[name][column], place + shift, "D", color=colour, markersize=5)
        left.plot([], [], "o", color=colour, label=kind)
    left.set_yticks(range(len(names)), NAMES.values())
    left.invert_yaxis()
    left.set(title="embedded headlines, a dot for each run", xlabel="ROUGE F1")
    right.set(title="Gigaword, as published", xlabel="ROUGE F1")
    left.legend(fontsize=9, loc="lower left")
    for axes in (left, right):
        axes.grid(axis="x", color=INK, alpha=0.25, linewidth=0.6)


@drawing(10.4, 3.6, columns=3, sharey=True)
def summariser_attention(*panels: Axes) -> None:
    """What trained models attend to on one test pair, given its headline, with the true links framed."""
    example = recorded()["sentence"]
    attentions(panels, example, {NAMES[name]: weights for name, weights in example["attention"].items()})
