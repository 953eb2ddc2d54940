"""The figures of part 3 of chapter 10: units of text, and three languages."""

from __future__ import annotations

from statistics import mean

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.figures.ch10_units_record import UNITS, recorded_units
from book.figures.diagrams import arrow, box, canvas, centred, diagram
from book.figures.plots import drawing
from book.figures.recorded import recorded
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED
from data import tongues

LABELS = {"sub500": "500", "sub1000": "1,000", "sub2000": "2,000", "sub8000": "8,000", "characters": "characters"}
SENTENCE = 95
"""The sentence of test that is shown in two languages."""


@diagram(17, 4.4, inches=0.48)
def cut_four_ways(axes: Axes) -> None:
    """A target sentence in characters, in few pieces, in many, and in words."""
    examples = {name: recorded_units()["cuts"][name]["example"] for name in ("characters", "500", "2,000", "words")}
    for row, (name, pieces) in enumerate(examples.items()):
        y, x = 3.9 - row, 3.0
        label = name if name in ("characters", "words") else f"{name} pieces"
        axes.text(2.8, y, label, ha="right", va="center", fontsize=9)
        for piece in pieces:
            width = 0.42 * len(piece)
            box(axes, x + width / 2, y, piece, width=width - 0.06, height=0.62, colour=(BLUE, ORANGE)[row % 2], size=9)
            x += width


@drawing(8, 3, columns=2)
def sizes_of_units(left: Axes, right: Axes) -> None:
    """Vocabulary and length of text by the number of pieces."""
    cuts = recorded_units()["cuts"]
    places = np.arange(len(cuts))
    for side, (label, colour) in enumerate((("source", BLUE), ("target", ORANGE))):
        left.plot(places, [cut["vocabularies"][side] for cut in cuts.values()], "o-", ms=4, color=colour, label=label)
    left.set(ylabel="words or pieces known", ylim=(0, None))
    left.legend(fontsize=9)
    right.plot(places, [cut["predictions"] / cut["words"] for cut in cuts.values()], "o-", ms=4, color=GREEN)
    right.set(ylabel="predictions per word", ylim=(0, None))
    for axes in (left, right):
        axes.set_xticks(places, list(cuts), rotation=35, ha="right", fontsize=9)


def dots(axes: Axes, row: float, values: list[float], colour: str) -> None:
    """A dot for each run, and a bar at their mean."""
    axes.plot(values, [row] * len(values), "o", color=colour, mfc="none", ms=5)
    axes.plot([float(np.round(mean(values), 4))], [row], "|", color=colour, ms=15, mew=2)


@drawing(6.5, 3)
def units_measured(axes: Axes) -> None:
    """BLEU of models of words, of words with replacement, and of pieces."""
    unknown, units = recorded("08_attention")["unknown"], recorded_units()["units"]
    rows = {"words": unknown["none"], "words, <unk> replaced": unknown["copy"]}
    rows |= {LABELS[unit]: [run["bleu"] for run in units[unit].values()] for unit in UNITS}
    for row, (name, values) in enumerate(rows.items()):
        dots(axes, row, values, INK if name.startswith("words") else BLUE)
    axes.set_yticks(range(len(rows)), [name if "words" in name else f"{name} pieces".replace("ters pieces", "ters")
                                       for name in rows])  # fmt: skip
    axes.set(xlabel="BLEU on test", ylim=(len(rows) - 0.5, -0.5))


@diagram(11, 5, inches=0.55)
def three_languages(axes: Axes) -> None:
    """The directions that are trained, and the two that are not."""
    places = {"english": (5.5, 4.2), "veldran": (1.8, 1.0), "bremish": (9.2, 1.0)}
    for name, (x, y) in places.items():
        box(axes, x, y, name, width=2.2, height=0.8, colour=BLUE, size=10)
    for side, x in ((-1, 3.4), (1, 7.6)):
        axes.annotate("", xy=(x + 0.35 * side, 1.5), xytext=(5.5 + 0.7 * side, 3.7),
                      arrowprops={"arrowstyle": "<|-|>", "color": GREEN, "lw": 1.8})  # fmt: skip
    arrow(axes, (3.0, 1.15), (8.0, 1.15), colour=RED, dashed=True)
    arrow(axes, (8.0, 0.85), (3.0, 0.85), colour=RED, dashed=True)
    axes.text(5.5, 1.4, "no pair in training", ha="center", fontsize=9, color=RED)
    axes.text(2.6, 2.9, "trained,\nboth ways", ha="center", fontsize=9, color=GREEN)
    axes.text(8.4, 2.9, "trained,\nboth ways", ha="center", fontsize=9, color=GREEN)


def mirror() -> Figure:
    """A sentence of Veldran, the English that it stands for, and the same in Bremish, with the true links."""
    versions = tongues.sentences()["test"][SENTENCE]
    rows = {language: versions[language] for language in ("veldran", "english", "bremish")}
    width = max(len(words) for words in rows.values()) * 1.7 + 2
    figure, axes = canvas(width, 5, inches=0.5)
    places: dict[str, list[float]] = {}
    for row, (language, words) in enumerate(rows.items()):
        y, step = 4.4 - 1.9 * row, (width - 2) / len(words)
        places[language] = [2 + step * (number + 0.5) for number in range(len(words))]
        axes.text(0, y, language, ha="left", va="center", fontsize=9, color=BLUE)
        for x, word in zip(places[language], words, strict=True):
            centred(axes, x, y, word.text, fontsize=9)
    for language, (top, bottom) in {"veldran": (4.05, 2.85), "bremish": (0.95, 2.15)}.items():
        for x, word in zip(places[language], rows[language], strict=True):
            for place in word.origin:
                axes.plot([x, places["english"][place]], [top, bottom], color=ORANGE, lw=1.1)
    return figure


@drawing(8.4, 2.6, columns=2, sharey=True)
def ways_to_bremish(left: Axes, right: Axes) -> None:
    """BLEU of the ways from Veldran to Bremish, and how much of what is written is Bremish at all."""
    ways = (("one model", "at once"), ("one model", "through english"), ("two models", "through english"))
    for axes, figure_name, scale in ((left, "bleu", 1), (right, "asked", 100)):
        for row, ((system, way), colour) in enumerate(zip(ways, (RED, BLUE, PURPLE), strict=True)):
            runs = recorded_units()["pivots"][system].values()
            dots(axes, row, [scale * run["veldran-bremish"][way][figure_name] for run in runs], colour)
    left.set_yticks(range(len(ways)), [f"{system}, {way}".replace("english", "English") for system, way in ways])
    left.set(xlabel="BLEU", ylim=(len(ways) - 0.5, -0.5), xlim=(0, None))
    right.set(xlabel="written words that are Bremish, %", xlim=(-3, 103))
