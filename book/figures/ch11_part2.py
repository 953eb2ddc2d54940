"""The figures of chapter 11's second part: the model, its three masks, an example by hand, heads of a trained model."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from book.figures.ch11 import MODELS, by_length
from book.figures.ch11_part2_record import CHAPTER, RECORD
from book.figures.diagrams import arrow, box, diagram, frames
from book.figures.plots import drawing, numbers_over, weight_map
from book.figures.recorded import recorded
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE
from book.lessons.cells import namespace
from common.plots.plotting import plt


@diagram(13.6, 8.4)
def translator(axes: Axes) -> None:
    """The encoder on the left, the decoder on the right, and the keys and values that lead from one to the other."""
    for x, parts, name, words in (
        (3.0, (("self-attention", GREEN), ("network", ORANGE)), "encoder, twice", "mirena  greets  galin  ."),
        (10.4, (("self-attention,\nwith a mask", GREEN), ("attention to\nthe source", PURPLE), ("network", ORANGE)),
         "decoder, twice", "<s>  mirena  galin  na  ..."),
    ):  # fmt: skip
        axes.text(x, 0.3, words, ha="center", va="center", fontsize=10)
        box(axes, x, 1.3, "embedding + position", width=3.8, colour=INK)
        arrow(axes, (x, 0.55), (x, 1.0))
        heights = [2.7 + 1.35 * number for number in range(len(parts))]
        for height, (part, colour) in zip(heights, parts, strict=True):
            box(axes, x, height, part, width=3.8, height=0.85, colour=colour, size=10)
            arrow(axes, (x, 1.6 if height == heights[0] else height - 0.92), (x, height - 0.43))
        top = heights[-1] + 1.35
        low, high = heights[0] - 0.65, heights[-1] + 0.65
        axes.add_patch(plt.Rectangle((x - 2.3, low), 4.6, high - low, ec=BLUE, fc="none", ls="--", lw=1.4))
        axes.text(x - 2.4 if x < 5 else x + 2.4, high - 0.1, name, ha="right" if x < 5 else "left", va="top",
                  color=BLUE, fontsize=9, rotation=90)  # fmt: skip
        box(axes, x, top, "norm" if x < 5 else "norm, softmax", width=3.8, colour=INK)
        arrow(axes, (x, heights[-1] + 0.43), (x, top - 0.3))
    arrow(axes, (4.9, 5.4), (8.5, 4.05), colour=PURPLE)
    axes.text(6.65, 5.35, "keys, values", ha="center", va="center", color=PURPLE, fontsize=9)
    arrow(axes, (10.4, 7.05), (10.4, 7.6))
    axes.text(10.4, 7.85, "mirena  galin  na  satirel  ...", ha="center", va="center", fontsize=10)


@drawing(8.5, 3.1, columns=3)
def three_masks(*panels: Axes) -> None:
    """Which positions may attend to which, in each of the three attentions."""
    source, target = "mirena greets galin .".split(), "<s> mirena galin na satirel kora".split()
    masks = {
        "encoder: self-attention": (source, source, np.ones((4, 4))),
        "decoder: self-attention": (target, target, np.tril(np.ones((6, 6)))),
        "attention to the source": (target, source, np.ones((6, 4))),
    }
    for axes, (title, (rows, columns, allowed)) in zip(panels, masks.items(), strict=True):
        weight_map(axes, np.ma.masked_where(allowed == 0, 0.45 * allowed), columns, rows)
        axes.set(title=title, xlabel="keys and values")
    panels[0].set(ylabel="queries")


@drawing(7.5, 2.6, columns=2, sharey=True)
def two_words_to_the_source(*panels: Axes) -> None:
    """The worked example: the weights of the source words for two words of the target."""
    lesson = namespace("11", 2)
    for axes, weights, word in zip(panels, lesson["weights"], ("mirena", "galin"), strict=True):
        axes.bar(lesson["source"], weights, color=PURPLE)
        numbers_over(axes, weights, ".2f")
        axes.set(title=f"to write {word}", ylim=(0, 1.12))
    panels[0].set(ylabel="attention weight")


@drawing(9.6, 6.8, rows=2, columns=4, sharex=True, sharey=True)
def heads_on_the_source(*panels: Axes) -> None:
    """What each head of the decoder attends to in one pair, with the true links."""
    record = recorded(CHAPTER, RECORD)
    sentence, heads = record["sentence"], record["settings"]["heads"]
    for number, (axes, weights) in enumerate(zip(panels, sentence["attention"], strict=True)):
        weight_map(axes, np.array(weights), sentence["source"], [*sentence["target"], "</s>"])
        frames(axes, sentence["links"])
        axes.set(title=f"block {number // heads + 1}, head {number % heads + 1}")


@drawing(6.4, 2.9)
def one_more_word(axes: Axes) -> None:
    """The time for one more word by the words before it, of three language models."""
    cost = recorded(CHAPTER, RECORD)["generation"]
    by_length(axes, cost["lengths"], cost["milliseconds"], MODELS, "words before")
