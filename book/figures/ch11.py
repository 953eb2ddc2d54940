"""The figures of chapter 11: a diagram, what is computed by hand, and what was recorded of trained models."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.figures.ch06 import LABELS, beyond_oracle
from book.figures.diagrams import arrow, box, centred, diagram, node
from book.figures.plots import bars, drawing, grouped, weight_map
from book.figures.recorded import recorded
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED
from book.lessons.cells import namespace
from common.plots.plotting import plt

CHAPTER = "11_transformer"
MODELS = {"attentive LSTM": PURPLE, "Transformer": BLUE, "LSTM": ORANGE}


@drawing(8.5, 2.9, columns=2)
def waves(left: Axes, right: Axes) -> None:
    """Positional encodings, and the dot products of positions by their distance."""
    p = namespace("11")["waves"](16, 40)
    left.imshow(p.T, cmap="RdBu", vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
    left.set(xlabel="position", ylabel="number", title="positional encodings")
    for first, colour in ((0, BLUE), (12, ORANGE), (24, GREEN)):
        right.plot(range(16), p[first : first + 16] @ p[first], color=colour, label=f"from position {first}")
    right.set(xlabel="distance", ylabel="dot product", title="two positions")
    right.legend()


@drawing(8.5, 2.4, columns=2, sharey=True)
def why_the_root(*panels: Axes) -> None:
    """The weights of ten random keys of 256 numbers, without and with the root."""
    softmax, rng = namespace("11")["softmax"], np.random.default_rng(1)
    scores = rng.normal(size=(10, 256)) @ rng.normal(size=256)
    for axes, title, root in zip(panels, ("without the root", "with the root"), (1, 16), strict=True):
        weights = softmax(scores / root)
        axes.bar(range(1, 11), weights, color=BLUE)
        axes.set(title=title, xlabel="key", ylim=(0, 1.05), xticks=range(1, 11))
    panels[0].set(ylabel="attention weight")


@drawing(8.5, 2.6, columns=3, sharey=True)
def two_heads(*panels: Axes) -> None:
    """The worked example: the weights of two heads, and of one head with the sum of their scores."""
    lesson = namespace("11")
    cases = {"head 1: the word before": "head1", "head 2: names": "head2", "one head for both": "both"}
    for axes, (title, name), colour in zip(panels, cases.items(), (BLUE, GREEN, INK), strict=True):
        bars(axes, lesson["words"], lesson[name], colour, ".2f")
        axes.set(title=title, ylim=(0, 1.12))
    panels[0].set(ylabel="attention weight")


@diagram(11.0, 8.2)
def block(axes: Axes) -> None:
    """A block: the line that the sums leave untouched, and the two parts beside it."""
    line = 2.2
    axes.plot([line, line], [0.5, 7.7], color=BLUE, linewidth=3)
    centred(axes, line, 0.2, "$x_t$ (H numbers)")
    centred(axes, line, 7.95, "to the next block")
    for base, parts, colour in (
        (1.0, ("norm", "$q, k, v = W_q n, W_k n, W_v n$", "heads: softmax($K q\\,/\\sqrt{D}$) $V$", "$W_o$"), GREEN),
        (4.9, ("norm", "max(0, $W_1 n + b_1$)", "$W_2 \\cdot + b_2$"), ORANGE),
    ):
        top = base + 0.75 * (len(parts) - 1)
        for number, part in enumerate(parts):
            box(axes, 6.0, base + 0.75 * number, part, width=4.6, height=0.5, colour=colour, size=9)
            if number:
                arrow(axes, (6.0, base + 0.75 * number - 0.5), (6.0, base + 0.75 * number - 0.25))
        arrow(axes, (line, base), (3.7, base), colour=colour)
        node(axes, line, top, "+", radius=0.24, colour=colour, fill="none", size=11)
        arrow(axes, (3.7, top), (line + 0.24, top), colour=colour)
    box(axes, 9.75, 2.1, "keys, values\nof the words\nbefore (cache)", width=2.0, height=1.3, colour=PURPLE, size=9)
    arrow(axes, (8.75, 2.4), (8.3, 2.5), colour=PURPLE)
    arrow(axes, (8.3, 1.75), (8.75, 1.75), colour=PURPLE, dashed=True)
    axes.text(8.45, 5.65, "the same network\nat each position", va="center", color=ORANGE, fontsize=9)


@drawing(6.4, 2.9)
def cost_of_length(axes: Axes) -> None:
    """Training time for a word by the length of sentences."""
    cost = recorded(CHAPTER)["cost"]
    by_length(axes, cost["lengths"], cost["training"], MODELS, "words of a sentence")


@drawing(6.4, 2.9)
def cache(axes: Axes) -> None:
    """The time for one more word by the words before it."""
    cost = recorded(CHAPTER)["cost"]
    colours = {"without": ORANGE, "with the cache": BLUE}
    by_length(axes, cost["lengths"], cost["generation"], colours, "words before")


def by_length(axes: Axes, lengths: list[int], times: dict, colours: dict[str, str], label: str) -> None:
    """A curve for each colour, both axes in powers, with the lengths themselves as ticks. times: in milliseconds."""
    for name, colour in colours.items():
        axes.plot(lengths, times[name], "o-", color=colour, label=name, markersize=4)
    axes.set(xscale="log", yscale="log", xlabel=label, ylabel="milliseconds for a word")
    axes.set_xticks(lengths, lengths)
    low, high = axes.get_ylim()
    ticks = [tick for tick in (0.03, 0.1, 0.3, 1, 3, 10) if low < tick < high]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.legend()


@drawing(8.5, 3.0)
def what_each_part_gains(axes: Axes) -> None:
    """Nats beyond the oracle, by what decides the word."""
    decided, before = recorded(CHAPTER)["phenomena"], recorded("06_attentive_lm")["phenomena"]
    rows, names = {}, {"bag": "one block, no positions", "none": "no positions"}
    for kind, colour in (("bag", INK), ("none", RED), ("sinusoidal", BLUE), ("rotary", GREEN)):
        rows[names.get(kind, kind)] = (beyond_oracle(decided, kind), colour)
    rows["attentive LSTM"] = (beyond_oracle(before, "combined"), PURPLE)
    grouped(axes, list(LABELS.values()), rows, 0.16, 0.15)
    axes.set(ylabel="nats beyond the oracle")
    axes.legend()


def heads() -> Figure:
    """What every head of a trained model attends to in one sentence, as far as its first name comes back."""
    record = recorded(CHAPTER)
    words = record["sentence"]
    end = words.index(words[0], 1) + 1
    maps = np.array(record["attention"])[:, :, :end, :end]
    return head_maps(maps, ["<s>", *words[: end - 1]], words[:end], (9.6, 5.6))


def head_maps(maps: np.ndarray, read: list[str], predicted: list[str], inches: tuple[float, float]) -> Figure:
    """A row of maps for each block: the weights of each head, (blocks, heads, T, T)."""
    figure, panels = plt.subplots(*maps.shape[:2], figsize=inches, sharex=True, sharey=True, squeeze=False)
    future = np.triu(np.ones(maps.shape[2:]), k=1) > 0
    for block, head in np.ndindex(maps.shape[:2]):
        weight_map(panels[block, head], np.ma.masked_where(future, maps[block, head]), read, predicted)
        panels[block, head].set(title=f"block {block + 1}, head {head + 1}")
    return figure
