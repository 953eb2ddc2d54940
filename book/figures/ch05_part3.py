"""The figures of chapter 5's third part: two batches of a long text, and a cache by hand."""

from __future__ import annotations

from matplotlib.axes import Axes

from book.figures.diagrams import arrow, box, diagram
from book.figures.plots import drawing, numbers_over
from book.figures.style import BLUE, INK, ORANGE, PURPLE, RED
from book.lessons.cells import namespace


@diagram(13.2, 3.2, 0.62)
def two_batches(axes: Axes) -> None:
    """Two batches of three steps each: the values go on across the border, the gradients do not."""
    places = [1.2, 3.1, 5.0, 8.0, 9.9, 11.8]
    for step, x in enumerate(places, start=1):
        box(axes, x, 1.6, f"$h_{step}$", 0.9, 0.7)
        arrow(axes, (x, 0.55), (x, 1.22), colour=BLUE)
        axes.text(x, 0.3, f"$x_{step}$", ha="center", va="center")
    for left, right in zip(places[:-1], places[1:], strict=True):
        arrow(axes, (left + 0.47, 1.75), (right - 0.47, 1.75), colour=BLUE)
        if right - left < 2.5:
            arrow(axes, (right - 0.47, 1.42), (left + 0.47, 1.42), colour=RED)
    axes.plot([6.5, 6.5], [0.1, 3.1], ls=":", color=RED)
    for x, title in ((3.1, "batch 1"), (9.9, "batch 2")):
        axes.text(x, 2.8, title, ha="center", va="center")
    axes.text(6.35, 2.3, "numbers", ha="right", va="center", color=BLUE, fontsize=9)
    axes.text(6.65, 1.1, "no gradient", ha="left", va="center", color=RED, fontsize=9)


@drawing(8.2, 2.7, columns=2, sharey=True)
def cache_by_hand(left: Axes, right: Axes) -> None:
    """The worked example: what the cache gives to each word, and the mixture for the name."""
    lesson = namespace("05", 3)
    cached, words, share = lesson["cached"], lesson["followed"], lesson["share"]
    left.bar(range(len(words)), cached, color=[ORANGE, *[INK] * (len(words) - 1)])
    left.set_xticks(range(len(words)), words)
    left.set(title="the cache", ylabel="probability", ylim=(0, 0.6))
    numbers_over(left, cached)
    kinds = {"model": lesson["by_model"], "cache": cached[0]}
    kinds["both"] = (1 - share) * kinds["model"] + share * kinds["cache"]
    right.bar(range(3), list(kinds.values()), color=[BLUE, ORANGE, PURPLE])
    right.set_xticks(range(3), kinds)
    right.set(title=f"P({words[0]})")
    numbers_over(right, kinds.values())
