"""What several figures of chapter 7 draw alike: a row of words, an unrolled network, arcs between words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from book.figures.diagrams import arrow, box
from book.figures.plots import note
from book.figures.style import BLUE, GREEN, INK, ORANGE

STEP = 1.5
"""The distance of two steps of an unrolled network."""
HALF = 0.6
"""Half the width of its boxes."""


def words(
    axes: Axes, y: float, texts: Sequence[str], first: float, colours: Sequence[str] | str = INK, **style
) -> None:
    """A row of words, a step apart."""
    for number, text in enumerate(texts):
        colour = colours if isinstance(colours, str) else colours[number]
        axes.text(first + STEP * number, y, text, ha="center", va="center", color=colour, fontsize=9, **style)


def chain(axes: Axes, y: float, steps: int, first: float, text: str, colour: str = BLUE) -> None:
    """The boxes of a recurrent network, each handing its state to the next."""
    for number in range(steps):
        x = first + STEP * number
        box(axes, x, y, text, 2 * HALF, 0.6, colour=colour, size=9)
        if number + 1 < steps:
            arrow(axes, (x + HALF, y), (x + STEP - HALF, y), colour=colour)


def into(axes: Axes, y: float, steps: int, first: float, length: float = 0.4, colour: str = INK) -> None:
    """An upward arrow at each step, which ends at y."""
    for number in range(steps):
        x = first + STEP * number
        arrow(axes, (x, y - length), (x, y), colour=colour)


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
        axes.text(
            place, -0.12, text, ha="right", va="top", rotation=40, color=colour, fontsize=9, rotation_mode="anchor"
        )
    for start, end in ends:
        middle, radius = (start + end) / 2, (end - start) / 2
        near = radius < 2
        arc = [(middle + radius * c, 0.55 * radius * s) for c, s in half_circle()]
        axes.plot(*zip(*arc, strict=True), color=ORANGE if near else INK, linewidth=2 if near else 1.2)
        note(axes, f"{end - start}", (middle, 0.55 * radius), (0, 2), color=ORANGE if near else INK, fontsize=9)
    axes.scatter(places, [0] * len(texts), s=14, color=[BLUE if n < source_words else GREEN for n in places], zorder=3)
    axes.set(xlim=(-1, len(texts)))
    axes.axis("off")


def half_circle(points: int = 41) -> list[tuple[float, float]]:
    """Points of the upper half of the unit circle, rounded, so that files are the same everywhere."""
    angles = np.linspace(0, np.pi, points)
    return [(round(float(np.cos(angle)), 4), round(float(np.sin(angle)), 4)) for angle in angles]
