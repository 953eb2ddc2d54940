"""The figure of part 3 of chapter 2: the loss along straight lines."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from book.figures.plots import drawing, note
from book.figures.style import BLUE, GREEN, INK, ORANGE
from book.lessons.cells import namespace

LINES = {
    "giggles up, full stop down": ((1, 0, 0, -1), BLUE, "-"),
    "ponies up": ((0, 0, 1, 0), ORANGE, "--"),
    "feeds, the right word, up": ((0, 1, 0, 0), GREEN, ":"),
}
"""Directions in which the four scores move, by what they do; their colours and dashes."""


@drawing(6.2, 3.2)
def loss_along_lines(axes: Axes) -> None:
    """The loss of the example along three lines through the scores of the lesson."""
    part = namespace("02", 3)
    distances = np.linspace(-4, 4, 81)
    for label, (direction, colour, dashes) in LINES.items():
        losses = [part["loss"](part["s"] + tau * np.array(direction)) for tau in distances]
        axes.plot(distances, losses, dashes, color=colour, label=label, linewidth=1.8)
    here = part["loss"](part["s"])
    axes.plot(0, here, "o", color=INK, zorder=3)
    note(axes, f"{here:.3f}", (0, here), (8, 8), ha="left")
    axes.set(xlabel="τ, how far the scores have moved", ylabel="loss, nats", ylim=(0, 5))
    axes.legend(loc="upper center", fontsize=9)
