"""The figures of chapter 11's second part: the model, its three masks, an example by hand, heads of a trained model."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.figures.ch11 import by_length
from book.figures.ch11_part2_record import CHAPTER, RECORD
from book.figures.diagrams import arrow, box, canvas, frames
from book.figures.plots import numbers_over, weight_map
from book.figures.recorded import recorded
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE
from book.lessons.cells import namespace
from common.plots.plotting import plt


def translator() -> Figure:
    """The encoder on the left, the decoder on the right, and the keys and values that lead from one to the other."""
    figure, axes = canvas(13.6, 8.4)
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
    return figure


def three_masks() -> Figure:
    """Which positions may attend to which, in each of the three attentions."""
    source, target = "mirena greets galin .".split(), "<s> mirena galin na satirel kora".split()
    figure, panels = plt.subplots(1, 3, figsize=(8.5, 3.1))
    for axes, title, rows, columns, allowed in zip(
        panels,
        ("encoder: self-attention", "decoder: self-attention", "attention to the source"),
        (source, target, target),
        (source, target, source),
        (np.ones((4, 4)), np.tril(np.ones((6, 6))), np.ones((6, 4))),
        strict=True,
    ):
        weight_map(axes, np.ma.masked_where(allowed == 0, 0.45 * allowed), columns, rows)
        axes.set(title=title, xlabel="keys and values")
    panels[0].set(ylabel="queries")
    return figure


def two_words_to_the_source() -> Figure:
    """The worked example: the weights of the source words for two words of the target."""
    lesson = namespace("11", 2)
    figure, panels = plt.subplots(1, 2, figsize=(7.5, 2.6), sharey=True)
    for axes, weights, word in zip(panels, lesson["weights"], ("mirena", "galin"), strict=True):
        axes.bar(lesson["source"], weights, color=PURPLE)
        numbers_over(axes, weights, ".2f")
        axes.set(title=f"to write {word}", ylim=(0, 1.12))
    panels[0].set(ylabel="attention weight")
    return figure


def heads_on_the_source() -> Figure:
    """What each head of the decoder attends to in one pair, with the true links."""
    record = recorded(CHAPTER, RECORD)
    sentence, heads = record["sentence"], record["settings"]["heads"]
    maps = np.array(sentence["attention"])
    figure, panels = plt.subplots(len(maps) // heads, heads, figsize=(9.6, 6.8), sharex=True, sharey=True)
    for number, axes in enumerate(panels.flat):
        show_head(axes, maps[number], sentence)
        axes.set(title=f"block {number // heads + 1}, head {number % heads + 1}")
    return figure


def show_head(axes: Axes, weights: np.ndarray, sentence: dict) -> None:
    weight_map(axes, weights, sentence["source"], [*sentence["target"], "</s>"])
    frames(axes, sentence["links"])


def one_more_word() -> Figure:
    """The time for one more word by the words before it, of three language models."""
    cost = recorded(CHAPTER, RECORD)["generation"]
    figure, axes = plt.subplots(figsize=(6.4, 2.9))
    for name, colour in (("attentive LSTM", PURPLE), ("Transformer", BLUE), ("LSTM", ORANGE)):
        axes.plot(cost["lengths"], cost["milliseconds"][name], "o-", color=colour, label=name, markersize=4)
    by_length(axes, cost["lengths"], "words before")
    return figure
