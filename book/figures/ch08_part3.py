"""The figures of part 3 of chapter 8: gradients of hard attention, priors and fertility by hand."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from book.figures.ch08_draw import bars
from book.figures.plots import drawing
from book.figures.style import BLUE, INK, ORANGE, PURPLE
from book.lessons.cells import namespace

COLOURS = (BLUE, PURPLE, ORANGE)
"""Of the three source words of the worked example, as in the lesson."""


@drawing(8.4, 2.8, columns=2, sharey=True)
def hard_gradients(*panels: Axes) -> None:
    """The gradients of three scores: by the straight-through estimator, and with the hard context subtracted."""
    lesson = namespace("08", 3)
    for axes, name, title in zip(panels, ("slopes", "mistaken"), ("straight-through", "with g · c"), strict=True):
        bars(axes, lesson["source"], np.round(lesson[name], 6), COLOURS)
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.set(title=title, ylim=(-0.36, 0.34))
    panels[0].set(ylabel="gradient of the score")


@drawing(9.4, 2.8, columns=3, sharey=True)
def priors_by_hand(*panels: Axes) -> None:
    """The weights of the worked step without a prior, with a position bias, and with a Markov prior."""
    lesson = namespace("08", 3)
    titles = {"galin_weights": "no prior", "biased": "position bias", "moved": "Markov prior"}
    for axes, (name, title) in zip(panels, titles.items(), strict=True):
        bars(axes, lesson["source"], np.round(lesson[name], 6), COLOURS)
        axes.set(title=title, ylim=(0, 0.75))
    panels[0].set(ylabel="attention weight")


@drawing(5.2, 3)
def fertility_by_hand(axes: Axes) -> None:
    """What each source word received in two steps, and the fertility that was expected."""
    lesson = namespace("08", 3)
    first, both = np.round(lesson["mirena_weights"], 4), np.round(lesson["received"], 4)
    bars(axes, lesson["source"], both, COLOURS)
    axes.bar(range(len(first)), first, color="white", alpha=0.5)
    axes.axhline(1, color=INK, linestyle=":", linewidth=1)
    axes.set(ylabel="attention received", ylim=(0, 1.15))
