"""What several figures of chapter 8 share: attention matrices, bars of weights, tables, a step in three ways."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from matplotlib.axes import Axes

from book.figures.diagrams import arrow, centred
from book.figures.plots import note, weight_map
from book.figures.recorded import recorded
from book.figures.style import ATTENTION, BLUE, INK, ORANGE, PURPLE, RED


def matrix(axes: Axes, weights: np.ndarray, source: Sequence[str], target: Sequence[str]) -> None:
    """Weights, a row for each target word and a column for each source word: darker is more attention."""
    weight_map(axes, weights[: len(target)], source, target)
    axes.spines[["top", "right"]].set_visible(True)


def crosses(axes: Axes, links: Collection[tuple[int, int]]) -> None:
    """A cross in the cell of each link."""
    for i, j in links:
        axes.plot(i, j, "x", color=RED, markersize=9, markeredgewidth=2)


def bars(axes: Axes, words: Sequence[str], values: np.ndarray, colours: Sequence[str], digits: int = 3) -> None:
    """A bar for each word, with its number; nothing is written over a bar of zero."""
    axes.bar(range(len(words)), values, color=colours)
    for place, value in enumerate(values):
        if value:
            offset = (0, 3 if value > 0 else -11)
            note(axes, f"{value:.{digits}f}", (place, value), offset, fontsize=9)
    axes.set_xticks(range(len(words)), words)


def cells(axes: Axes, rows: Sequence[Sequence[str]], shades: np.ndarray, title: str) -> None:
    """A table of texts on cells that are shaded as attention is."""
    axes.imshow(shades, cmap=ATTENTION, vmin=0, vmax=1, aspect="auto")
    for y, row in enumerate(rows):
        for x, text in enumerate(row):
            dark = shades[y, x] > 0.45
            centred(axes, x, y, text, fontsize=9, color="white" if dark else INK)
    axes.set(title=title)
    axes.tick_params(length=0)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[["top", "right"]].set_visible(True)


def shares(axes: Axes, parts: np.ndarray, mean: np.ndarray, colours: Sequence[str]) -> None:
    """Vectors of two numbers, a row each, tip to tail, and a dot at their sum."""
    start = np.zeros(2)
    for part, colour in zip(parts, colours, strict=True):
        end = np.round(start + part, 4)
        arrow(axes, tuple(start), tuple(end), colour=colour, width=2)
        start = end
    axes.plot(*mean, "o", color=INK, markersize=5)
    text = f"({mean[0]:.3f}, {mean[1]:.3f})".replace("-", "−")
    note(axes, text, tuple(mean), (8, 4), fontsize=9, ha="left")
    axes.axhline(0, color=INK, linewidth=0.6)
    axes.axvline(0, color=INK, linewidth=0.6)
    axes.set(xlim=(-0.05, 0.85), ylim=(-0.36, 0.46), xlabel="first number", ylabel="second number", aspect="equal")


CHAPTER = "08_attention"
COLOURS = (BLUE, PURPLE, ORANGE)
"""Of the three source words of the worked example, as in the lesson."""
WINDOW, PLACE = 3, 5.4
"""D, and the place p that local attention is told to predict for the step that is drawn."""
STEP = 3
"""The step of the recorded short pair whose weights are drawn: that of *na*, where the model is not sure."""


def three_ways() -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The source, and the weights of one recorded step: soft, hard, local, and the bell of the local ones."""
    record = recorded(CHAPTER)["short"]
    source, soft = record["source"], np.array(record["weights"]["default"][STEP])
    distance = np.abs(np.arange(1, len(source) + 1) - PLACE)
    bell = np.exp(-(distance**2) / (2 * (WINDOW / 2) ** 2))
    near = np.where(distance < WINDOW, soft, 0)
    return source, soft, np.eye(len(source))[soft.argmax()], np.round(near / near.sum() * bell, 4), np.round(bell, 4)
