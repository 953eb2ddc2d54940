"""The figures of chapter 9's second part: diagrams of ABS and RAS, and their worked examples. Those of trained models
are in ch09_part2_runs.py."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from book.figures.diagrams import arrow, box, centred, diagram, node
from book.figures.plots import drawing, note
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE
from book.lessons.cells import namespace


def words_below(axes: Axes, words: list[str], places: list[float], y: float) -> None:
    for word, x in zip(words, places, strict=True):
        centred(axes, x, y, word, color=INK, fontsize=9)


@diagram(14.2, 7.0)
def abs_step(axes: Axes) -> None:
    """One step of ABS: the last words make a query and a hidden layer; the query weighs smoothed embeddings."""
    lesson = namespace("09", 2)
    places, weights = [1.0 + 1.55 * number for number in range(5)], np.round(lesson["p"][:, 1], 4)
    words_below(axes, lesson["source"], places, 0.35)
    for number, x in enumerate(places, start=1):
        box(axes, x, 1.25, f"$x_{number}$", width=0.9, colour=ORANGE)
        box(axes, x, 2.85, f"$\\bar{{x}}_{number}$", width=0.9, colour=ORANGE)
        arrow(axes, (x, 0.55), (x, 0.95))
        for other in places:
            if abs(other - x) < 2:
                arrow(axes, (other, 1.55), (x + 0.12 * (other - x), 2.55), colour=ORANGE, width=0.8)
        arrow(axes, (x, 3.15), (4.1 + 0.25 * (x - 4.1), 4.35), colour=ORANGE, width=0.7 + 4 * weights[number - 1])
    box(axes, 4.1, 4.65, "enc $= \\sum_j p_j \\bar{x}_j$", width=2.6, colour=ORANGE)
    words_below(axes, ["<s>", "selena"], [10.4, 12.2], 0.35)
    for x, history in ((10.4, "t-2"), (12.2, "t-1")):
        for shift, colour, letter in ((-0.4, PURPLE, "G"), (0.4, BLUE, "E")):
            box(axes, x + shift, 1.25, f"${letter}\\,y_{{{history}}}$", width=0.76, colour=colour, size=9)
            arrow(axes, (x, 0.55), (x + shift, 0.95))
            arrow(axes, (x + shift, 1.55), (9.9 if letter == "G" else 12.6, 2.55), colour=colour, width=0.9)
    box(axes, 9.9, 2.85, "query $P\\,y_c'$", width=1.7, colour=PURPLE)
    box(axes, 12.6, 2.85, "$h = \\tanh(U y_c)$", width=2.0, colour=BLUE)
    node(axes, 9.0, 4.65, "softmax", radius=0.62, colour=PURPLE, size=9)
    arrow(axes, (9.7, 3.15), (9.2, 4.05), colour=PURPLE)
    axes.plot([0.3, 0.3, 8.6], [1.25, 5.6, 5.6], color=ORANGE, linewidth=1.0)
    arrow(axes, (8.6, 5.6), (8.8, 5.24), colour=ORANGE)
    axes.plot([0.3, 0.55], [1.25, 1.25], color=ORANGE, linewidth=1.0)
    axes.text(4.4, 5.78, "the $x_j$ are compared with the query", ha="center", color=ORANGE, fontsize=9)
    arrow(axes, (8.38, 4.65), (5.4, 4.65), "weights $p$", colour=PURPLE)
    box(axes, 10.9, 6.4, "softmax$(V h + W\\,\\mathrm{enc})$: next word", width=4.3, colour=GREEN)
    arrow(axes, (12.6, 3.15), (12.0, 6.1), colour=BLUE)
    axes.plot([4.1, 4.1], [4.95, 6.4], color=ORANGE, linewidth=1.4)
    arrow(axes, (4.1, 6.4), (8.75, 6.4), colour=ORANGE)


@diagram(14.2, 7.4)
def ras_step(axes: Axes) -> None:
    """One step of RAS: words and places added, a convolution for the scores, the state before as the query."""
    places = [1.2 + 1.7 * number for number in range(5)]
    words_below(axes, namespace("09", 2)["source"], places, 0.3)
    for number, x in enumerate(places, start=1):
        box(axes, x, 1.1, f"$x_{number} + l_{number}$", width=1.3, colour=ORANGE)
        box(axes, x, 2.0, f"$a_{number}$", width=0.8, colour=ORANGE)
        box(axes, x, 3.6, f"$z_{number}$", width=0.8, colour=PURPLE)
        arrow(axes, (x, 0.5), (x, 0.8))
        arrow(axes, (x, 1.4), (x, 1.7), colour=ORANGE)
        for other in places:
            if abs(other - x) < 2:
                arrow(axes, (other, 2.3), (x + 0.12 * (other - x), 3.3), colour=PURPLE, width=0.8)
        arrow(axes, (x, 3.9), (8.4, 5.0 + 0.06 * (number - 3)), colour=PURPLE, width=0.6)
    node(axes, 9.0, 5.0, "softmax", radius=0.62, colour=PURPLE, size=9)
    box(axes, 9.0, 6.7, "$c_t = \\sum_j \\alpha_j a_j$", width=2.2, colour=ORANGE)
    arrow(axes, (9.0, 5.62), (9.0, 6.4), "weights $\\alpha$", colour=PURPLE)
    axes.plot([0.35, 0.35, 7.6], [2.0, 6.7, 6.7], color=ORANGE, linewidth=1.4)
    axes.plot([0.35, 0.8], [2.0, 2.0], color=ORANGE, linewidth=1.4)
    arrow(axes, (7.6, 6.7), (7.9, 6.7), colour=ORANGE)
    axes.text(4.0, 6.85, "the $a_j$ are averaged", ha="center", va="bottom", color=ORANGE, fontsize=9)
    box(axes, 11.4, 2.6, "$h_{t-1}$", width=1.1, colour=BLUE)
    box(axes, 13.0, 0.9, "$E\\,y_{t-1}$", width=1.1, colour=BLUE)
    box(axes, 12.6, 4.4, "$h_t = \\sigma(\\cdot)$", width=1.7, colour=BLUE)
    box(axes, 12.6, 6.7, "next word", width=1.6, colour=GREEN)
    arrow(axes, (11.1, 2.9), (9.5, 4.55), colour=BLUE)
    axes.text(9.9, 3.45, "query", color=BLUE, fontsize=9, ha="center")
    arrow(axes, (11.6, 2.9), (12.3, 4.1), "$W_2$", colour=BLUE)
    arrow(axes, (13.0, 1.2), (12.8, 4.1), "$W_1$", colour=BLUE)
    arrow(axes, (10.1, 6.5), (11.9, 4.7), "$W_3$", colour=ORANGE)
    arrow(axes, (10.1, 6.7), (11.8, 6.7), "$W_5$", colour=ORANGE)
    arrow(axes, (12.6, 4.7), (12.6, 6.4), "$W_4$", colour=BLUE)


@drawing(5.6, 3.6)
def smoothed_embeddings(axes: Axes) -> None:
    """The source words of the worked example in the plane, before and after they were averaged with neighbours."""
    lesson = namespace("09", 2)
    offsets = {"soup": (6, 4), "is": (-14, -14), "supplied": (6, -12), "by": (8, 6), "selena": (6, 4)}
    rows = zip(lesson["source"], lesson["x"].astype(float), np.round(lesson["smoothed"], 4), strict=True)
    for word, before, after in rows:
        axes.annotate("", after, before, arrowprops={"arrowstyle": "-|>", "color": INK, "shrinkA": 4, "shrinkB": 5})
        axes.plot(*before, "o", color=ORANGE)
        axes.plot(*after, "*", color=BLUE, markersize=12)
        note(axes, word, before, offsets[word], color=ORANGE, fontsize=9, ha="left")
    axes.plot([], [], "o", color=ORANGE, label="embedding $x_j$")
    axes.plot([], [], "*", color=BLUE, markersize=12, label="smoothed, $\\bar{x}_j$")
    axes.axhline(0, color=INK, linewidth=0.5)
    axes.axvline(0, color=INK, linewidth=0.5)
    axes.set(xlabel="first number: people", ylabel="second number: things", xlim=(-1.4, 2.6), ylim=(-1.4, 2.4))
    axes.legend(fontsize=9, loc="upper right")


@drawing(9.6, 2.9, columns=4, width_ratios=(1, 1, 1, 1.15))
def abs_by_hand(*panels: Axes) -> None:
    """p at each step of the worked example, and how probable the right word is with and without attention."""
    lesson = namespace("09", 2)
    source, headline = lesson["source"], lesson["headline"]
    bars, written = np.arange(len(source)), ["<s>", "<s>", *headline]
    for number, (axes, word) in enumerate(zip(panels, headline, strict=False)):
        axes.barh(bars, np.round(lesson["p"][:, number], 4), color=ORANGE)
        axes.set_yticks(bars, source if number == 0 else [""] * len(bars), fontsize=9)
        axes.set(title=f"{' '.join(written[number : number + 2])} → {word}", xlim=(0, 1), xlabel="weight $p_j$")
        axes.invert_yaxis()
    steps = np.arange(len(headline))
    for shift, encoder, enc, colour in ((-0.2, "bag of words", "bag", INK), (0.2, "attention", "enc", ORANGE)):
        probs = lesson["right"](lesson[enc])
        panels[3].bar(steps + shift, np.round(probs, 4), width=0.38, color=colour, label=encoder)
    panels[3].set_xticks(steps, headline, fontsize=9)
    panels[3].set(title="P(right word)", ylim=(0, 1.25))
    panels[3].legend(fontsize=9, loc="upper left")


@drawing(7.6, 3.7, rows=2, columns=2, sharey=True)
def forwards_and_backwards(*panels: Axes) -> None:
    """Weights of the first step for a source and the same back to front: ABS's go with the words, RAS's with places."""
    lesson = namespace("09", 2)
    sources = lesson["words"], lesson["words"][::-1]
    halves = panels[:2], panels[2:]
    for row, source, by_abs, by_ras in zip(halves, sources, lesson["by_abs"], lesson["by_ras"], strict=True):
        rows = {"ABS": (by_abs, ORANGE), "RAS": (by_ras, PURPLE)}
        for axes, (name, (weights, colour)) in zip(row, rows.items(), strict=True):
            axes.bar(range(3), np.round(weights, 4), color=colour, width=0.6)
            for place, weight in enumerate(weights):
                note(axes, f"{weight:.2f}", (place, np.round(weight, 4)), (0, 2), fontsize=9)
            axes.set_xticks(range(3), source)
            axes.set(ylim=(0, 1.1))
            if source is sources[0]:
                axes.set(title=f"{name}: weights of the first step")
