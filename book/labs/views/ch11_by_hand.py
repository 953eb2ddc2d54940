"""More views of lab 11, of what lesson 11 computes by hand: positions that turn, the root, one head for two jobs."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.figures.plots import bars, drawing
from book.figures.style import BLUE, GREEN, INK, ORANGE
from book.lessons.cells import namespace
from chapters.transformer.positions import angles, sinusoids
from common.errors import UserError
from common.plots.plotting import plt


def turned(position: int, distance: int, size: int = 8) -> Figure:
    """Each pair of numbers of a positional encoding as a point on a circle, at a position and so many words later.

    A pair is (cosine, sine) of its angle, which grows by the distance times the pair's frequency, wherever it starts.
    """
    waves = sinusoids(size, 0, position + distance + 1)
    figure, panels = plt.subplots(1, size // 2, figsize=(9.6, 2.7), subplot_kw={"aspect": "equal"})
    for pair, axes in enumerate(panels):
        axes.add_artist(plt.Circle((0, 0), 1, fill=False, color=INK, linewidth=0.8))
        for step, colour in ((position, BLUE), (position + distance, ORANGE)):
            sine, cosine = waves[2 * pair : 2 * pair + 2, step]
            axes.plot([0, cosine], [0, sine], "o-", color=colour, markevery=[1], label=f"position {step}")
        turn = np.degrees(angles(size, distance, 1)[2 * pair, 0])
        axes.set(title=f"pair {pair + 1}: turned by {turn:.1f}°", xlim=(-1.2, 1.2), ylim=(-1.2, 1.2))
        axes.set(xticks=[], yticks=[])
    panels[0].legend(fontsize=7, loc="lower left")
    return figure


@drawing(9.6, 2.6, columns=2)
def random_keys(left: Axes, right: Axes, size: int, power: float, draw: int = 1) -> None:
    """The weights of ten random keys for a random query, both of `size` numbers, whose scores are divided by
    size^power: 0 leaves the root out, 0.5 is the root of Eq. 1. draw: which random numbers; each power has the same."""
    rng = np.random.default_rng(draw)
    scores = rng.normal(size=(10, size)) @ rng.normal(size=size) / size**power
    weights = namespace("11")["softmax"](scores)
    left.bar(range(1, 11), scores, color=INK)
    left.set(title="scores", xlabel="key", xticks=range(1, 11), ylim=(-45, 45))
    right.bar(range(1, 11), weights, color=BLUE)
    right.set(title=f"weights, the largest {weights.max():.3f}", xlabel="key", xticks=range(1, 11), ylim=(0, 1.05))


def one_head(first: float, second: float) -> np.ndarray:
    """The weights of one head whose scores are those of the lesson's two heads, times a number each, added: (4,).

    Raises `UserError` for a number below 0.
    """
    if min(first, second) < 0:
        raise UserError(f"{min(first, second):g}: give each job a number of at least 0")
    lesson = namespace("11")
    return lesson["softmax"](first * lesson["scores1"] + second * lesson["scores2"])


@drawing(9.6, 2.7, columns=3, sharey=True)
def two_jobs(left: Axes, middle: Axes, right: Axes, first: float, second: float) -> None:
    """The weights of the lesson's two heads, and of one head that adds their scores, each times a number."""
    lesson = namespace("11")
    panels = {
        "head 1: the word before": (lesson["head1"], BLUE),
        "head 2: names": (lesson["head2"], GREEN),
        f"one head: {first:g} x, {second:g} x": (one_head(first, second), ORANGE),
    }
    for axes, (title, (weights, colour)) in zip((left, middle, right), panels.items(), strict=True):
        bars(axes, lesson["words"], weights, colour, ".2f")
        axes.set(title=title, ylim=(0, 1.12))
    left.set(ylabel="attention weight")
