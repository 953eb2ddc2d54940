"""The figures of chapter 4: those with data; the diagrams are in ch04_draw.py."""

from __future__ import annotations

import itertools
import math

import numpy as np
from matplotlib.axes import Axes

from book.figures import ch04_data as data
from book.figures.plots import drawing, note, numbers_beside
from book.figures.style import BLUE, CYCLE, GREEN, INK, ORANGE, RED
from book.lessons.cells import namespace

APART = {"verbs output": ("cooks", "brushes", "saddles"), "nouns input": ("donkey", "goat", "pony")}
"""Words that lie far from all others on a map."""
SIDES = {"input": "as read (columns of M)", "output": "as predicted (rows of W_hs)"}


@drawing(7.6, 3.2, columns=3, sharey=True)
def unseen_history(*panels: Axes) -> None:
    """What three models expect after a history that train does not hold."""
    shares = data.of_models()["unseen history"]
    labels = [*shares["words"], "things of other kinds", "all other words"]
    names = {"n-gram": "5-gram, Kneser-Ney", "network": "feed-forward network", "oracle": "the grammar itself"}
    for axes, (name, title), colour in zip(panels, names.items(), (ORANGE, BLUE, GREEN), strict=True):
        values = [*shares[name]["each"], shares[name]["other things"], shares[name]["other words"]]
        kinds = [colour] * len(shares["words"]) + [INK] * 2
        axes.barh(range(len(labels)), values, color=kinds)
        numbers_beside(axes, values, ".3f", fontsize=9)
        axes.set(title=title, xlim=(0, 0.78), xticks=[0, 0.25, 0.5])
    panels[0].set_yticks(range(len(labels)), labels)
    panels[0].invert_yaxis()
    panels[0].figure.supxlabel(f"P(next word | {shares['history']})", fontsize=9, color=INK)


@drawing(7.2, 2.9, columns=2)
def one_step(left: Axes, right: Axes) -> None:
    """The millhand's embedding before and after one step, and what becomes of two predictions."""
    lesson = namespace("04")
    x, forward, old, new = (lesson[name] for name in ("x", "forward", "millhand", "moved"))
    for word in ("miller", "baker", "offers", "buys"):
        left.plot(*x[word], "o", color=INK)
        note(left, word, x[word], (5, 5), ha="left")
    left.plot(*old, "o", color=ORANGE)
    note(left, "millhand", old, (-6, 7), color=ORANGE)
    left.annotate("", np.round(new, 4), old, arrowprops={"arrowstyle": "-|>", "color": RED, "lw": 1.6})
    left.set(xlim=(-1.3, 1.75), ylim=(-1.35, 1.4), xlabel="first number", ylabel="second number")
    for number, (verb, ware, colour) in enumerate((("offers", 0, BLUE), ("buys", 1, GREEN))):
        values = [float(np.round(forward(vector, x[verb])[-1][ware], 4)) for vector in (old, new)]
        bars = right.bar([number * 2.6, number * 2.6 + 1], values, 0.8, color=colour)
        bars[0].set_alpha(0.5)
        for bar, value in zip(bars, values, strict=True):
            note(right, f"{value:.3f}", (bar.get_x() + 0.4, value))
    labels = [f"P({ware} |\n{history})" for ware, history in (("flour", "millhand offers"), ("wheat", "millhand buys"))]
    right.set_xticks([0.5, 3.1], labels)
    right.set(ylim=(0, 1.12), title="before (pale) and after the step")


@drawing(7.4, 6.6, rows=2, columns=2)
def maps(*panels: Axes) -> None:
    """Verbs and things on the plane of their principal components, as read and as predicted, a colour a kind."""
    for axes, (group, side) in zip(panels, itertools.product(("verbs", "nouns"), SIDES), strict=True):
        plane = data.of_models()["maps"][f"{group} {side}"]
        for (kind, places), colour in zip(plane["places"].items(), CYCLE, strict=True):
            axes.plot(*np.array(places).T, "o", color=colour, markersize=4.5, label=kind)
            for word, place in zip(data.mapped(group, kind), places, strict=True):
                if word in APART.get(f"{group} {side}", ()):
                    beside(axes, word, place)
        axes.set(xticks=[], yticks=[], title=f"{group} {SIDES[side]}")
    handles, labels = panels[0].get_legend_handles_labels()
    place = {"loc": "outside lower center", "ncols": len(labels), "handletextpad": 0.1}
    panels[0].figure.legend(handles, labels, fontsize=9, **place)


def beside(axes: Axes, word: str, place: list[float]) -> None:
    """Write a word beside its point, towards the middle of the map."""
    aside, alignment = (-6, "right") if place[0] > 0 else (6, "left")
    note(axes, word, place, (aside, 0), ha=alignment, va="center", size=9, color=INK)


@drawing(7.2, 3.6, rows=2, columns=2, sharex=True)
def neighbours(*panels: Axes) -> None:
    """The nearest neighbours of a verb and of a thing, by their cosines."""
    kinds = {"reads": "recites learns translates memorises copies", "salmon": "eel eels herrings mussel mussels crabs"}
    nearest = data.of_models()["nearest"]
    for axes, (word, side) in zip(panels, itertools.product(nearest, SIDES), strict=True):
        names, cosines = zip(*nearest[word][side], strict=True)
        alike = [GREEN if name in kinds[word].split() else INK for name in names]
        axes.barh(names, cosines, color=alike)
        axes.invert_yaxis()
        axes.set(title=f"{word}, {SIDES[side]}", xlim=(0, 0.95))
        numbers_beside(axes, cosines, ".2f", size=9)
    for axes in panels[2:]:
        axes.set_xlabel("cosine")


@drawing(6, 3.4)
def scores_per_word(axes: Axes) -> None:
    """How many scores one prediction costs in training, by the size of the vocabulary."""
    for (name, numbers), mark in zip(data.scores_per_word().items(), "osD^", strict=True):
        axes.plot(data.SIZES, np.round(numbers, 4), f"{mark}-", markersize=4, label=name)
        lift = {"class": 3, "sampled": -9}.get(name, -3)  # these two end at nearly the same height
        note(axes, f"{numbers[-1]:,.0f}", (data.SIZES[-1], numbers[-1]), (6, lift), size=9, ha="left")
    axes.set(
        xscale="log", yscale="log", xlabel="words of the vocabulary, V", ylabel="scores per word", xlim=(80, 90000)
    )
    axes.legend(loc="upper left", fontsize=9)


@drawing(7.4, 3.1, columns=2)
def estimate_and_truth(*panels: Axes) -> None:
    """The estimate of ln Z, and of the total push on all other words, by the number of samples."""
    came = math.exp(data.of_models()["log-probabilities"][data.comes()])
    for axes, part, truth, title in (
        (panels[0], 0, 0.0, "ln of the estimated Z"),
        (panels[1], 1, 1 - came, "push on all other words, 1 − p̂"),
    ):
        values = [np.round(data.estimates(number)[part], 4) for number in data.SAMPLES]
        low, high = (np.round([np.quantile(draws, share) for draws in values], 4) for share in (0.05, 0.95))
        axes.fill_between(data.SAMPLES, low, high, color=BLUE, alpha=0.25, linewidth=0)
        axes.plot(data.SAMPLES, np.round([draws.mean() for draws in values], 4), "o-", color=BLUE, markersize=4)
        axes.axhline(truth, color=ORANGE, linestyle="--", linewidth=1.2)
        note(axes, "truth", (data.SAMPLES[0], truth), (0, 4), color=ORANGE, ha="left")
        axes.set(xscale="log", xlabel="samples K", title=title)


@drawing(5.6, 3)
def noise_contrast(axes: Axes) -> None:
    """The pushes of text and noise on a score in noise-contrastive estimation, by the exponential of the score."""
    part2 = namespace("04", 2)
    P, expected = part2["P"], part2["K"] * part2["Q"]
    exp_s = np.linspace(0.02, 1, 99)
    sigma = exp_s / (exp_s + expected)
    for name, push, dots, colour in (
        ("text pushes up", P * (1 - sigma), part2["up"], BLUE),
        ("noise pushes down", expected * sigma, part2["down"], ORANGE),
    ):
        axes.plot(exp_s, np.round(push, 4), color=colour, label=name)
        axes.plot(part2["exp_s"], np.round(dots, 4), "o", color=colour, markersize=5)
    axes.axvline(P, color=INK, linestyle="--", linewidth=0.8)
    axes.set(xlabel="exp(s) of feeds", ylabel="push")
    axes.legend(fontsize=9)


@drawing(6.8, 3.6, rows=3, sharex=True, sharey=True)
def dropout_on_a_layer(*panels: Axes) -> None:
    """Twenty units of the hidden layer as they are, and as dropout leaves them in two draws."""
    layer = data.of_models()["dropped"]
    panels_of = {"as computed": layer["without"], "first draw": layer["with"][0], "second draw": layer["with"][1]}
    for axes, (title, values), colour in zip(panels, panels_of.items(), (INK, BLUE, BLUE), strict=True):
        axes.bar(range(1, len(values) + 1), values, color=colour)
        gone = [place for place, value in enumerate(values, start=1) if value == 0]
        axes.plot(gone, [0] * len(gone), "x", color=RED, markersize=6)
        axes.axhline(0, color=INK, linewidth=0.6)
        axes.set(ylabel=title, ylim=(-1.4, 1.4), yticks=[-1, 0, 1])
    panels[-1].set(xlabel="unit", xticks=range(1, len(layer["without"]) + 1))


@drawing(7.2, 3, columns=2, sharey=True)
def dropout_and_overfitting(*panels: Axes) -> None:
    """Train and dev by epoch, without dropout and with."""
    for axes, (rate, curves) in zip(panels, data.of_models()["curves"].items(), strict=True):
        epochs = range(1, len(curves["dev"]) + 1)
        axes.plot(epochs, curves["train"], "o--", color=INK, markersize=4, label="train, while learning")
        axes.plot(epochs, curves["dev"], "o-", color=BLUE, markersize=4, label="dev")
        best = min(curves["dev"])
        note(axes, f"{best:.2f}", (curves["dev"].index(best) + 1, best), (0, 7), color=BLUE)
        title = "without dropout" if float(rate) == 0 else f"dropout {rate}"
        axes.set(title=title, xlabel="epoch", ylim=(8, 22), xticks=epochs)
    panels[0].set_ylabel("perplexity")
    panels[0].legend(fontsize=9)
