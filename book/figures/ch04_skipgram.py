"""The figures of part 3 of chapter 4: pairs of a window, one step, the samples, and vectors of nouns and verbs."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from book.figures.ch04_record import CHAPTER, KINDS
from book.figures.diagrams import arrow, box, diagram
from book.figures.plots import drawing, grouped, note
from book.figures.recorded import recorded
from book.figures.style import BLUE, CYCLE, GREEN, INK, ORANGE
from book.lessons.cells import namespace

RECORD = "figures/recorded_skipgram.json"


@diagram(12.6, 5.2)
def pairs_of_a_window(axes: Axes) -> None:
    """A sentence, the words that its third word is paired with, and two words that are drawn for each pair."""
    words = "mira reads the old letter .".split()
    centre = words.index("the")
    for place, word in enumerate(words):
        near = 0 < abs(place - centre) <= 2
        colour = BLUE if place == centre else GREEN if near else INK
        box(axes, 1.2 + 2 * place, 3.4, word, 1.5, 0.7, colour=colour)
        if near:
            bend = -0.35 if place > centre else 0.35
            arrow(axes, (1.2 + 2 * centre, 3.75), (1.2 + 2 * place, 3.75), colour=GREEN, bend=bend)
    for number, word in enumerate(("cow", "sells", "barge", "three", "mira")):
        box(axes, 1.8 + 2 * number, 1.0, word, 1.5, 0.7, colour=ORANGE, dashed=True)
        arrow(axes, (1.2 + 2 * centre, 3.05), (1.8 + 2 * number, 1.35), colour=ORANGE, dashed=True)


@drawing(5.6, 4.4)
def one_pair_moved(axes: Axes) -> None:
    """The vectors of the lesson before and after a step: the context word comes nearer, the samples leave."""
    lesson = namespace("04", 3)
    names, colours = ("letter", "cow", "the"), (GREEN, ORANGE, ORANGE)
    rows = [("reads (input)", lesson["v"], lesson["v_new"], BLUE)]
    rows += zip(names, lesson["u"], lesson["u_new"], colours, strict=True)
    for name, old, new, colour in rows:
        axes.plot(*old, "o", color=colour)
        arrow(axes, tuple(np.round(old, 4)), tuple(np.round(new, 4)), colour=colour)
        offset = (-32, -4) if new[1] > old[1] else (6, 5)
        note(axes, name, tuple(old), offset, fontsize=9, color=colour, ha="left")
    axes.axhline(0, color=INK, linewidth=0.6)
    axes.axvline(0, color=INK, linewidth=0.6)
    axes.set(xlim=(-0.75, 1.15), ylim=(-0.75, 1.05), xlabel="first number", ylabel="second number", aspect="equal")


@drawing(6.4, 3.0)
def samples_by_power(axes: Axes) -> None:
    """The share of some words in the text, and among the negative samples, on a logarithmic axis."""
    lesson = namespace("04", 3)
    text, samples = (np.round(100 * lesson[name][lesson["ids"]], 4) for name in ("text", "noise"))
    grouped(axes, lesson["words"], {"of the text": (text, BLUE), "of the samples": (samples, ORANGE)}, 0.4, 0.38)
    axes.set_yscale("log")
    axes.set_yticks([0.01, 0.1, 1, 10], ["0.01", "0.1", "1", "10"])
    axes.set(ylabel="share, %")
    axes.legend(fontsize=9)


@drawing(6.8, 4.8)
def one_vector_for_both(axes: Axes) -> None:
    """Input vectors of the skip-gram: nouns and verbs of seven kinds on one plane, a colour for each kind."""
    places = recorded(CHAPTER, RECORD)["input"]["places"]
    for kind, colour in zip(KINDS, CYCLE, strict=True):
        for name, marker in (("nouns", "o"), ("verbs", "^")):
            axes.plot(*np.array(places[name][kind]).T, marker, color=colour, markersize=5, linestyle="none",
                      label=kind if name == "nouns" else None)  # fmt: skip
    axes.set(xlabel="first principal component", ylabel="second principal component")
    axes.legend(fontsize=9, loc="center left", bbox_to_anchor=(1, 0.5), title="circles: things,\ntriangles: verbs")
