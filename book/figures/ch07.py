"""The figures of chapter 7: networks as diagrams. Those on search and evaluation are in ch07_search.py."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.figures.diagrams import arrow, box, canvas, centred
from book.figures.plots import drawing, note
from book.figures.recorded import recorded
from book.figures.style import BLUE, GREEN, INK, ORANGE, RED
from book.lessons.cells import namespace

STEP = 1.5
"""The distance of two steps of an unrolled network."""
HALF = 0.6
"""Half the width of its boxes."""


def words(axes: Axes, y: float, texts: Sequence[str], first: float, colours: Sequence[str] | str = INK) -> None:
    """A row of words, a step apart."""
    for number, text in enumerate(texts):
        colour = colours if isinstance(colours, str) else colours[number]
        centred(axes, first + STEP * number, y, text, color=colour, fontsize=9)


def chain(axes: Axes, y: float, steps: int, first: float, text: str, colour: str = BLUE) -> None:
    """The boxes of a recurrent network, each handing its state to the next."""
    for number in range(steps):
        x = first + STEP * number
        box(axes, x, y, text, 2 * HALF, 0.6, colour=colour, size=9)
        if number + 1 < steps:
            arrow(axes, (x + HALF, y), (x + STEP - HALF, y), colour=colour)


def into(axes: Axes, y: float, steps: int, first: float) -> None:
    """An upward arrow at each step, which ends at y."""
    for number in range(steps):
        x = first + STEP * number
        arrow(axes, (x, y - 0.4), (x, y))


def decoder(
    axes: Axes, y: float, first: float, read: Sequence[str], best: Sequence[str], colours: Sequence[str]
) -> None:
    """A decoder at height y: the words that it reads below, and what it writes above."""
    chain(axes, y, len(read), first, "decoder", GREEN)
    words(axes, y - 0.95, read, first)
    into(axes, y - 0.3, len(read), first)
    into(axes, y + 0.7, len(read), first)
    words(axes, y + 0.95, best, first, colours)


def arcs(axes: Axes, texts: Sequence[str], ends: Sequence[tuple[int, int]], source_words: int) -> None:
    """Words in a row, numbered by the step at which each is read or written, and an arc with its length over each pair
    of places."""
    places = range(len(texts))
    for place, text in zip(places, texts, strict=True):
        colour = BLUE if place < source_words else GREEN
        style = {"rotation": 40, "rotation_mode": "anchor", "color": colour, "fontsize": 9}
        axes.text(place, -0.12, text, ha="right", va="top", **style)
    angles = np.linspace(0, np.pi, 41)
    cosines, sines = np.round([np.cos(angles), np.sin(angles)], 4)  # so that files are the same everywhere
    for start, end in ends:
        middle, radius = (start + end) / 2, (end - start) / 2
        colour, width = (ORANGE, 2) if end == source_words else (INK, 1.2)
        axes.plot(middle + radius * cosines, 0.55 * radius * sines, color=colour, linewidth=width)
        note(axes, f"{end - start}", (middle, 0.55 * radius), (0, 2), color=colour, fontsize=9)
    axes.scatter(places, [0] * len(texts), s=14, color=[BLUE if n < source_words else GREEN for n in places], zorder=3)
    axes.set(xlim=(-1, len(texts)))
    axes.axis("off")


def encoder_decoder() -> Figure:
    """An encoder that reads a source backwards, and the decoder that starts from its last state."""
    source, target = namespace("07")["pair"]
    read, before = source[::-1], ["<s>", *target]
    after = [*target, "</s>"]
    figure, axes = canvas(STEP * (len(read) + len(before)) + 0.4, 2.8, 0.55)
    first, start = 0.8, 0.8 + STEP * len(read)
    chain(axes, 1.4, len(read), first, "encoder")
    words(axes, 0.45, read, first, BLUE)
    into(axes, 1.1, len(read), first)
    arrow(axes, (start - STEP + HALF, 1.4), (start - HALF, 1.4), colour=RED, width=2.4)
    axes.text(start - STEP / 2, 1.98, r"$h_0^{(e)}$", color=RED, ha="center", fontsize=11)
    decoder(axes, 1.4, start, before, after, [GREEN] * len(after))
    for number in range(len(target)):
        x = start + STEP * number
        arrow(axes, (x + 0.62, 2.2), (x + STEP - 0.62, 0.65), dashed=True)
    return figure


@drawing(6.6, 5.2, rows=2)
def reading_order(*axes: Axes) -> None:
    """The steps between reading a word and writing its translation, for both orders of reading."""
    lesson = namespace("07")
    (source, target), by_target = lesson["pair"], lesson["by_target"]
    for panel, backward in zip(axes, (False, True), strict=True):
        read = source[::-1] if backward else source
        ends = [(len(source) - 1 - i if backward else i, len(source) + j) for i, j in by_target]
        arcs(panel, [*read, *target], ends, len(source))
        panel.set_title("read backwards" if backward else "read forwards", loc="left")


def teacher_forcing() -> Figure:
    """What the recorded model says next when it reads the reference's words, and when it reads its own."""
    record = recorded("07_encoder_decoder")["forced"]
    target, free = record["reference"].split(), record["free"].split()
    right = [*target, "</s>"]
    figure, axes = canvas(STEP * len(right) + 0.4, 6.6, 0.62)
    first = 0.9
    for y, read, best in ((4.8, ["<s>", *target], record["best"]), (1.3, ["<s>", *free], [*free, "</s>"])):
        colours = [GREEN if word in right[n : n + 1] else RED for n, word in enumerate(best)]
        decoder(axes, y, first, read, best, colours)
        if read[1:] == free:
            for number in range(len(free)):
                x = first + STEP * number
                arrow(axes, (x + 0.58, y + 0.8), (x + STEP - 0.62, y - 0.75), colour=ORANGE, dashed=True)
    axes.text(0.2, 6.35, "teacher forcing: the reference's words are read", fontsize=10, va="center")
    axes.text(0.2, 2.85, "search: the model's own words are read", fontsize=10, va="center", color=INK)
    return figure


@drawing(8.4, 3.9, columns=2)
def tree_and_convolution(left: Axes, right: Axes) -> None:
    """The same source under a convolutional encoder and up its tree."""
    source = namespace("07")["pair"].source
    for axes in (left, right):
        axes.set(xlim=(-0.7, 4.7), ylim=(-0.5, 4.6))
        axes.axis("off")
        for place, word in enumerate(source):
            centred(axes, place, -0.2, word, color=BLUE, fontsize=9)
    convolution(left, len(source))
    tree(right, len(source), source.tree)


@drawing(7.2, 3.2)
def way_to_the_decoder(axes: Axes) -> None:
    """The steps from each word of a source to the decoder's first state, for four ways of reading it."""
    lesson = namespace("07", 2)
    ways = {
        "forwards": ("forwards", INK, "o-"),
        "backwards": ("backwards", BLUE, "o-"),
        "by_grammar": ("its tree", GREEN, "s--"),
        "by_halves": ("balanced tree", ORANGE, "s--"),
    }
    for name, (label, colour, line) in ways.items():
        axes.plot(range(len(lesson["source"])), lesson[name], line, color=colour, label=label, markersize=5)
    axes.set_xticks(range(len(lesson["source"])), lesson["source"])
    axes.set(ylabel="steps to the decoder", ylim=(-0.4, 7.6))
    axes.legend(loc="upper center", fontsize=9)


def convolution(axes, length: int, width: int = 3) -> None:
    for window in range(length - width + 1):
        x = window + (width - 1) / 2
        box(axes, x, 1.7, f"window {window + 1}", 0.92, 0.5, colour=GREEN, size=9)
        for place in range(window, window + width):
            arrow(axes, (place, 0.05), (x + 0.2 * (place - x), 1.45))
        arrow(axes, (x, 1.95), ((length - 1) / 2 + 0.3 * (x - (length - 1) / 2), 2.95))
    box(axes, (length - 1) / 2, 3.2, "largest of each filter", 2.2, 0.5, colour=ORANGE, size=9)
    arrow(axes, ((length - 1) / 2, 3.45), ((length - 1) / 2, 4.0))
    centred(axes, (length - 1) / 2, 4.2, "to the decoder", fontsize=9)


def tree(axes, length: int, nodes: list[tuple[int, int]]) -> None:
    places = [(float(word), 0.0) for word in range(length)]
    heights = [0] * length
    for number, (left, right) in enumerate(nodes):
        heights.append(max(heights[left], heights[right]) + 1)
        x = (places[left][0] + places[right][0]) / 2
        y = 0.92 * heights[-1]
        for child in (left, right):
            start = places[child]
            arrow(axes, (start[0], start[1] + (0.05 if child < length else 0.22)), (x, y - 0.22))
        root = number == len(nodes) - 1
        box(axes, x, y, "sentence" if root else "phrase", 0.9, 0.44, colour=ORANGE if root else GREEN, size=9)
        places.append((x, y))
    centred(axes, places[-1][0], 4.4, "to the decoder", fontsize=9)
    arrow(axes, (places[-1][0], places[-1][1] + 0.22), (places[-1][0], 4.25))
