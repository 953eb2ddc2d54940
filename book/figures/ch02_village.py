"""The figures of chapter 2 that show the village: sparse rows, and what was recorded of trained models."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from book.figures import ch02_data as data, ch02_record
from book.figures.plots import drawing, grouped, note
from book.figures.recorded import recorded
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE

PATIENCE = 3
BINS = 24


@drawing(6.4, 3.3)
def rows_touched(axes: Axes) -> None:
    """How often a minibatch touches a row of `word1`, by how frequent its word is, for three sizes of minibatch."""
    for size, colour in ((8, ORANGE), (32, BLUE), (128, PURPLE)):
        _, shares = data.touched(size)
        edges = np.unique(np.round(np.geomspace(1, len(shares) + 1, BINS + 1)).astype(int)) - 1
        middles = [(start + end + 1) / 2 for start, end in zip(edges, edges[1:], strict=False)]
        heights = [100 * shares[start:end].mean() for start, end in zip(edges, edges[1:], strict=False)]
        label = f"{size} sentences: {shares.sum():.0f} of {len(shares):,} rows"
        axes.plot(middles, np.round(heights, 4), "o-", color=colour, markersize=3.5, label=label)
    axes.set(xscale="log", xlabel="rank of the word before, 1 the most frequent", ylim=(-3, 106))
    axes.set(ylabel="% of minibatches\nthat touch its row")
    axes.legend(loc="lower left", fontsize=9)


@drawing(6.4, 3.3)
def early_stopping(axes: Axes) -> None:
    """Loss on train and dev by epoch: where dev is best, and where patience ends."""
    curves = recorded("02_loglinear_lm")["curves"]
    dev = curves["dev"]
    best = int(np.argmin(dev))
    epochs = range(1, len(dev) + 1)
    axes.plot(epochs, curves["train"], "o--", color=INK, markersize=4, label="train")
    axes.plot(epochs, dev, "o-", color=BLUE, markersize=4, label="dev")
    axes.plot(best + 1, dev[best], "o", color=GREEN, markersize=10)
    note(
        axes,
        "best on dev: kept",
        (best + 1, dev[best]),
        (4, 22),
        color=GREEN,
        arrowprops={"arrowstyle": "->", "color": GREEN},
        ha="left",
    )
    if best + 1 + PATIENCE <= len(dev):
        axes.axvline(best + 1 + PATIENCE, color=ORANGE, linestyle=":", linewidth=1.5)
        note(axes, "patience ends", (best + 1 + PATIENCE, min(curves["train"])), (5, 2), color=ORANGE, ha="left")
    axes.set(xlabel="epoch", ylabel="loss, nats per prediction", xticks=list(epochs))
    axes.legend(loc="center right", fontsize=9)


@drawing(7.4, 3.4)
def template_contributions(axes: Axes) -> None:
    """What b and each template of features add to the scores of four words, after the beginning of a sentence."""
    templates = recorded("02_loglinear_lm")["templates"]
    names = list(next(iter(templates["contributions"].values())))
    colours = [INK, BLUE, "#1fa3b5", GREEN, "#8c8c3a", ORANGE]
    width = 0.8 / len(names)
    rows = {name: ([parts[name] for parts in templates["contributions"].values()], colour)
            for name, colour in zip(names, colours, strict=True)}  # fmt: skip
    labels = [f"{word}\np = {templates['probabilities'][word]:.4f}" for word in templates["contributions"]]
    grouped(axes, labels, rows, width, 0.9 * width)
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set(ylabel="added to the score", title=" ".join(ch02_record.SENTENCE[: ch02_record.READ]) + " ...")
    axes.legend(fontsize=9, ncols=3, loc="best")
