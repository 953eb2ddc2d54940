"""The figures of chapter 6's third part: what a perplexity counts, masks that stay, and the mean of several epochs."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from book.figures.plots import drawing, note, numbers_over
from book.figures.style import BLUE, GREEN, INK, ORANGE
from book.lessons.cells import namespace

DROPPED = ListedColormap(["none", INK])


@drawing(8.2, 2.8, columns=2)
def sum_and_divisor(left: Axes, right: Axes) -> None:
    """The surprises of one sentence, and its perplexity in three accountings."""
    lesson = namespace("06", 3)
    surprises = lesson["surprises"]
    left.bar(range(4), surprises, color=[INK, BLUE, BLUE, BLUE])
    left.bar(0, surprises[0], color="none", edgecolor=ORANGE, hatch="//", linewidth=0)
    numbers_over(left, surprises, ".1f")
    left.set_xticks(range(4), ["first word", "word 2", "word 3", "</s>"])
    left.set(ylabel="surprise, nats", ylim=(0, 6.3))
    values = [lesson[name] for name in ("honest", "published", "without_first")]
    right.bar(range(3), values, color=[GREEN, ORANGE, BLUE])
    numbers_over(right, values, ".2f")
    right.set_xticks(range(3), ["all in both", "first word only\nin the divisor", "first word\nin neither"])
    right.set(ylabel="perplexity", ylim=(0, 10.8))


@drawing(5.4, 2.6)
def printed_perplexity(axes: Axes) -> None:
    """One published perplexity, converted twice."""
    lesson = namespace("06", 3)
    names = ["as printed", "divided by what\nwas predicted", "first words\ncounted"]
    values = [lesson[name] for name in ("reported", "really_predicted", "with_first")]
    axes.bar(range(3), values, color=[ORANGE, BLUE, GREEN])
    numbers_over(axes, values, ".1f")
    axes.set_xticks(range(3), names)
    axes.set(ylabel="perplexity", ylim=(0, 104))


@drawing(8.2, 2.5, columns=2, sharey=True)
def masks_that_stay(*panels: Axes) -> None:
    """Which numbers of a state are dropped, by step: a new mask for each step, and one for the whole sentence."""
    rng, size, steps, rate = np.random.default_rng(6), 8, 12, 0.3
    anew = rng.random((size, steps)) < rate
    one = np.repeat(rng.random((size, 1)) < rate, steps, axis=1)
    for axes, mask, title in zip(panels, (anew, one), ("a new mask for each step", "one mask"), strict=True):
        axes.pcolormesh(mask, cmap=DROPPED, vmin=0, vmax=1, edgecolors=INK, linewidth=0.4)
        axes.set(title=f"{title}: {(~mask).all(axis=1).sum()} of {size} survive", xlabel="step")
        axes.set_xticks(np.arange(steps) + 0.5, range(1, steps + 1), fontsize=9)
        axes.set_yticks([])
    panels[0].set(ylabel="numbers of the state")


@drawing(5.8, 2.8)
def mean_of_ends(axes: Axes) -> None:
    """A weight at the ends of four epochs, its loss, and that of the mean of the four."""
    ends = namespace("06", 3)["ends"]
    line = np.linspace(0.6, 1.4, 81)
    axes.plot(line, (line - 1) ** 2, color=INK, linewidth=1)
    axes.plot(ends, (ends - 1) ** 2, "o", color=BLUE)
    for epoch, end in enumerate(ends, start=1):
        note(axes, f"epoch {epoch}", (end, (end - 1) ** 2), (0, 7), color=BLUE, fontsize=9)
    axes.plot(ends.mean(), (ends.mean() - 1) ** 2, "o", color=ORANGE)
    note(axes, "mean", (ends.mean(), (ends.mean() - 1) ** 2), (0, -14), color=ORANGE, fontsize=9)
    axes.set(xlabel="weight", ylabel="loss", ylim=(-0.035, 0.17))
