"""The figures of chapter 5: curves of what was computed or recorded; the diagrams are in ch05_draw.py."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from book.counted import village
from book.figures.plots import bars, drawing, note
from book.figures.recorded import recorded
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED
from book.lessons.cells import namespace
from common.text.batching import Batch, make_batch, make_batches

CHAPTER = "05_rnn_lm"
COLOURS = {"rnn": RED, "lstm": BLUE, "gru": GREEN, "feed-forward": ORANGE, "5-gram": INK}
NAMES = {"rnn": "plain RNN", "lstm": "LSTM", "gru": "GRU", "feed-forward": "feed-forward (chapter 4)"}
NAMES["5-gram"] = "5-gram (chapter 1)"


@drawing(8.2, 3.3, columns=2)
def slopes(left: Axes, right: Axes) -> None:
    """tanh and its slope, and what a product of many slopes and weights becomes."""
    x = np.linspace(-4, 4, 161)
    left.plot(x, np.tanh(x), color=BLUE, label="tanh")
    left.plot(x, 1 - np.tanh(x) ** 2, color=RED, label="its slope, 1 − tanh²")
    left.set(xlabel="argument")
    left.legend(fontsize=9, loc="lower right")
    steps = np.arange(1, 16)
    for weight, first, colour in ((0.8, 1, BLUE), (1.5, 1, ORANGE), (1.5, 0.001, PURPLE)):
        product = np.cumprod(namespace("05")["factors"](weight, first, len(steps)))
        label = f"{weight}, $x_1$ = {first}"
        right.plot(steps, np.round(np.log10(product), 4), "o-", markersize=3, color=colour, label=label)
    powers_of_ten(right, range(-6, 4, 2))
    right.set(xlabel="steps back", ylabel="product of the factors")
    right.legend(fontsize=9, title="$W_{hh}$", loc="lower left")


def powers_of_ten(axes: Axes, powers: range) -> None:
    """Label an axis of common logarithms with the numbers themselves."""
    axes.set_yticks(list(powers), [f"$10^{{{power}}}$" for power in powers])


@drawing(10.5, 3.4, columns=3, sharey=True)
def gradients_through_time(*panels: Axes) -> None:
    """Norms of the gradient by distance: three cells before training, forget biases, and three cells after it."""
    record = recorded(CHAPTER)
    for panel, when in ((panels[0], "before"), (panels[2], "after")):
        for cell in record["gradients"]:
            panel.plot(record["gradients"][cell][when], color=COLOURS[cell], label=NAMES[cell])
        own = record["forget bias"]["1"] if when == "before" else record["gradients"]["lstm"]["cell after"]
        panel.plot(own, "--", color=COLOURS["lstm"], label="LSTM, its cell")
        panel.set(title=f"{when} training")
    for (bias, values), colour in zip(record["forget bias"].items(), (INK, ORANGE, PURPLE), strict=True):
        panels[1].plot(values, color=colour, label=f"$b_f$ = {bias}")
    panels[1].set(title="the cell of an LSTM, before")
    powers_of_ten(panels[0], range(-4, 1))
    panels[0].set_ylabel("norm of one loss's gradient")
    for panel in panels:
        panel.set(xlabel="steps back")
        panel.legend(fontsize=9, loc="lower left")


@drawing(6.8, 3.4)
def agreement_by_distance(axes: Axes, models: Sequence[str] = tuple(COLOURS)) -> None:
    """How sure models are of the right one of a verb's two forms, by the distance of its subject."""
    record = recorded(CHAPTER)["agreement"]
    for name in models:
        axes.plot(record["distance"], record[name], "o-", markersize=4, color=COLOURS[name], label=NAMES[name])
    axes.axhline(0.5, color=INK, linestyle=":", linewidth=1)
    note(axes, "a coin", (record["distance"][0], 0.5), (0, -11), fontsize=9, ha="left")
    labels = [f"{distance}\n{verbs:,}" for distance, verbs in zip(record["distance"], record["verbs"], strict=True)]
    labels[-1] = labels[-1].replace("\n", " and more\n")
    axes.set_xticks(record["distance"], labels)
    axes.set(xlabel="words from the subject to its verb; below, how many verbs", ylim=(0.44, 1.02),
             ylabel="probability of the right form")  # fmt: skip
    axes.legend(fontsize=9, loc="center left", bbox_to_anchor=(1.0, 0.6))


@drawing(7, 3.1)
def cell_through_sentence(axes: Axes) -> None:
    """One number of the cell, word by word, after a singular and after a plural subject."""
    record = recorded(CHAPTER)["cell"]
    singular, plural = record["sentences"]
    for values, colour, name in zip(record["values"], (ORANGE, BLUE), (singular[1], plural[1]), strict=True):
        axes.plot(range(len(values)), values, "o-", color=colour, label=f"the {name} ...", markersize=4)
    words = [a if a == b else f"{a}\n{b}" for a, b in zip(singular, plural, strict=True)]
    axes.set_xticks(range(len(words)), words)
    axes.axhline(0, color=INK, linewidth=0.8, linestyle=":")
    axes.set(ylabel=f"number {record['unit']} of the cell")
    axes.legend(fontsize=9)


@drawing(6.2, 3.2)
def saved_by_length(axes: Axes) -> None:
    """How much of a minibatch is padding, by its size."""
    for (name, shares), colour in zip(padding_by_size().items(), (RED, BLUE), strict=True):
        axes.plot(range(len(SIZES)), [100 * share for share in shares], "o-", color=colour, label=name, markersize=4)
    axes.set_xticks(range(len(SIZES)), SIZES)
    axes.set(xlabel="sentences in a minibatch", ylabel="% of places that are padding")
    axes.legend()


@drawing(8.4, 3, columns=2, width_ratios=(2.2, 1))
def name_comes_back(left: Axes, right: Axes) -> None:
    """Where the cache expects which word of the sentence, and what that does to the name's probability."""
    record = recorded(CHAPTER)["name"]
    *words, name = record["words"]
    bars(left, words, record["weights"], [ORANGE if word == name else BLUE for word in words], rotation=20)
    left.set(title="weights of the cache after “... waits until”", ylabel="weight")
    kinds = {"LSTM": record["model"], "cache": record["cache"], "both": record["both"]}
    bars(right, kinds, list(kinds.values()), [BLUE, ORANGE, PURPLE], ".3f")
    right.set(title=f"P({name})", ylim=(0, 1.15 * max(kinds.values())))


SIZES = (1, 4, 8, 16, 32, 64, 128, 256)
"""Sentences of a minibatch."""
BATCHED = 2000
"""Sentences of train that are batched for the figure."""


def share_padded(batches: Sequence[Batch]) -> float:
    """Which share of the places of all these batches is padding."""
    return 1 - sum(batch.predictions for batch in batches) / sum(batch.mask.size for batch in batches)


def padding_by_size() -> dict[str, list[float]]:
    """The share of padding for each of SIZES, with train in the order of the file and sorted by length."""
    ids = village()[2][:BATCHED]
    in_order = [[make_batch(ids, range(at, min(at + size, len(ids)))) for at in range(0, len(ids), size)]
                for size in SIZES]  # fmt: skip
    return {
        "in the order of the text": [share_padded(batches) for batches in in_order],
        "sorted by length": [share_padded(make_batches(ids, size)) for size in SIZES],
    }
