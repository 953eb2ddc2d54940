"""The figures of parts 2 and 3 of chapter 5: probes of states, states that are moved; batches of a text, a cache."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from book.figures.ch03_draw import boundary
from book.figures.ch05 import CHAPTER, COLOURS, NAMES
from book.figures.diagrams import arrow, box, centred, diagram
from book.figures.plots import bars, drawing, grouped
from book.figures.recorded import recorded
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED
from book.lessons.cells import namespace

RECORD = "figures/recorded_part2.json"
CELLS = ("rnn", "lstm", "gru")
MOVES = ("as it is", "moved at random", "mirrored", "means exchanged")
ORDER = (0, 3, 1, 2)
"""Where each of MOVES stands in what is recorded."""


def found() -> dict:
    """What ch05_part2_record.py has written."""
    return recorded(CHAPTER, RECORD)


@drawing(8.6, 4.0, columns=2)
def probes_by_hand(left: Axes, right: Axes) -> None:
    """The four states with the lines of two probes; and one state, mirrored and with the means exchanged."""
    lesson = namespace("05", 2)
    for axes in (left, right):
        for state, singular in zip(lesson["states"], lesson["singular"], strict=True):
            axes.plot(*state, "o" if singular else "s", color=BLUE if singular else ORANGE, markersize=9)
        axes.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), xlabel="first number", ylabel="second number", aspect="equal")
    style = {"reach": 2 / 3, "linewidth": 1.3}
    boundary(left, lesson["first"], 0.0, color=INK, label="first probe", **style)
    boundary(left, lesson["normal"], lesson["bias"], color=GREEN, label="fitted probe", **style)
    left.set_title("circles: singular, squares: plural")
    boundary(right, lesson["w"], 0.0, color=GREEN, label="a third probe", **style)
    boundary(right, lesson["forms"][0] - lesson["forms"][1], 0.0, color=PURPLE, label="waits | wait", **style)
    state, mirrored, exchanged = (tuple(np.round(vector, 4)) for vector in lesson["moved"])
    arrow(right, state, mirrored, colour=GREEN)
    arrow(right, state, exchanged, colour=ORANGE)
    for axes in (left, right):
        axes.legend(fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncol=2)
    right.set_title("one state, moved in two ways")


@drawing(9.4, 3.6, columns=2, sharey=True)
def number_by_distance(*panels: Axes) -> None:
    """Right answers on the number of the subject, before its verb and from the verb on."""
    by_distance(panels, "number")


@drawing(9.4, 3.6, columns=2, sharey=True)
def gender_by_distance(*panels: Axes) -> None:
    """Right answers on the gender of the subject, before its verb and from the verb on."""
    by_distance(panels, "gender")


def by_distance(panels: Sequence[Axes], feature: str) -> None:
    """A panel for the words before the verb and one for those from it on; a line for each cell, and three controls."""
    for panel, zone, first in zip(panels, ("before", "after"), ("subject", "verb"), strict=True):
        question = f"{feature} {zone}"
        for cell in CELLS:
            panel.plot(rounded(question, cell, "state"), "-o", color=COLOURS[cell], markersize=4, label=NAMES[cell])
        panel.plot(rounded(question, "lstm", "untrained"), ":", color=BLUE, label="LSTM, untrained")
        panel.plot(rounded(question, "lstm", "word"), "--", color=PURPLE, label="the word alone (LSTM)")
        panel.plot(100 * np.array(found()["majority"][question]), color=INK, linewidth=1, label="more frequent answer")
        count = len(found()["majority"][question])
        panel.set_xticks(range(count), [*map(str, range(count - 1)), f"{count - 1}+"])
        panel.set(xlabel=f"words from the {first} on", ylim=(30, 103))
    panels[0].set_ylabel(f"{feature}: right answers, %")
    panels[0].figure.legend(*panels[0].get_legend_handles_labels(), fontsize=9, loc="outside right")


def rounded(question: str, cell: str, kind: str) -> np.ndarray:
    """Accuracy by distance, to the digits that a picture shows."""
    return np.round(100 * np.mean(found()["accuracy"][question][cell][kind], axis=0), 2)


@drawing(11.0, 4.6, columns=3, sharey=True)
def through_two_sentences(*panels: Axes) -> None:
    """What the probe says of each word of two sentences that differ in number, and the unit that it hears most."""
    record, places = found(), np.arange(len(found()["pair"][0]))
    pair = [" / ".join(dict.fromkeys(words)) for words in zip(*record["pair"], strict=True)]
    curves = [record["through"]["rnn"], record["through"]["lstm"], record["unit"]["values"]]
    titles = ("plain RNN: the probe", "LSTM: the probe", f"LSTM: number {record['unit']['unit']} of the cell")
    labels = ("P(the subject is singular)", "", "value")
    for axes, values, title, label in zip(panels, curves, titles, labels, strict=True):
        for curve, colour, name in zip(values, (BLUE, ORANGE), ("the girl ...", "the girls ..."), strict=True):
            axes.plot(curve, places, "-o", color=colour, markersize=4, label=name)
        axes.set(title=title, xlabel=label)
    panels[0].set_yticks(places, pair)
    panels[0].invert_yaxis()
    panels[2].legend(fontsize=9, loc="center", bbox_to_anchor=(0.6, 0.35))


@drawing(7.2, 3.2)
def moved_states(axes: Axes) -> None:
    """Right verb forms after states that were moved in four ways, by cell."""
    shares = {cell: np.round(100 * np.mean(found()["moved"][cell], axis=0)[list(ORDER)], 2) for cell in CELLS}
    rows = {NAMES[cell]: (values, COLOURS[cell]) for cell, values in shares.items()}
    for group in grouped(axes, MOVES, rows, 0.27, 0.25):
        axes.bar_label(group, fmt="%.0f", fontsize=9, color=INK)
    axes.set(ylabel="right verb forms, %", ylim=(0, 108))
    axes.legend(fontsize=9, loc="center left", bbox_to_anchor=(1, 0.5))


@diagram(13.2, 3.2, 0.62)
def two_batches(axes: Axes) -> None:
    """Two batches of three steps each: the values go on across the border, the gradients do not."""
    places = [1.2, 3.1, 5.0, 8.0, 9.9, 11.8]
    for step, x in enumerate(places, start=1):
        box(axes, x, 1.6, f"$h_{step}$", 0.9, 0.7)
        arrow(axes, (x, 0.55), (x, 1.22), colour=BLUE)
        centred(axes, x, 0.3, f"$x_{step}$")
    for left, right in zip(places[:-1], places[1:], strict=True):
        arrow(axes, (left + 0.47, 1.75), (right - 0.47, 1.75), colour=BLUE)
        if right - left < 2.5:
            arrow(axes, (right - 0.47, 1.42), (left + 0.47, 1.42), colour=RED)
    axes.plot([6.5, 6.5], [0.1, 3.1], ls=":", color=RED)
    for x, title in ((3.1, "batch 1"), (9.9, "batch 2")):
        centred(axes, x, 2.8, title)
    axes.text(6.35, 2.3, "numbers", ha="right", va="center", color=BLUE, fontsize=9)
    axes.text(6.65, 1.1, "no gradient", ha="left", va="center", color=RED, fontsize=9)


@drawing(8.2, 2.7, columns=2, sharey=True)
def cache_by_hand(left: Axes, right: Axes) -> None:
    """The worked example: what the cache gives to each word, and the mixture for the name."""
    lesson = namespace("05", 3)
    cached, words, share = lesson["cached"], lesson["followed"], lesson["share"]
    bars(left, words, cached, [ORANGE, *[INK] * (len(words) - 1)], ".3f")
    left.set(title="the cache", ylabel="probability", ylim=(0, 0.6))
    kinds = {"model": lesson["by_model"], "cache": cached[0]}
    kinds["both"] = (1 - share) * kinds["model"] + share * kinds["cache"]
    bars(right, kinds, list(kinds.values()), [BLUE, ORANGE, PURPLE], ".3f")
    right.set(title=f"P({words[0]})")
