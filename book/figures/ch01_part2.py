"""The figures of part 2 of chapter 1: why EM climbs, what counts are worth, and how methods back off."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.figures import ch01_data as data
from book.figures.plots import drawing, note
from book.figures.style import BLUE, GREEN, INK, ORANGE, RED
from book.lessons.cells import namespace
from common.plots.plotting import plt

QUERY = "the hen of dora".split()


def bound(alpha: np.ndarray, gamma: np.ndarray, bigram: np.ndarray, unigram: np.ndarray) -> np.ndarray:
    """R of each new weight, (weights,), for fixed responsibilities (predictions,); parts of weight zero left out."""
    parts = [(gamma, alpha[:, None] * unigram), (1 - gamma, (1 - alpha[:, None]) * bigram)]
    return sum((share * np.log(joint / share))[:, share > 0].sum(axis=1) for share, joint in parts)


@drawing(6.2, 3.3)
def lower_bound(axes: Axes) -> None:
    """One round of EM by hand: the log-likelihood, and the bound that touches it at the old weight."""
    part = namespace("01", 2)
    old, new = part["alphas"][:2]
    alphas = np.linspace(0.03, 0.9, 120)
    with np.errstate(divide="ignore", invalid="ignore"):
        lower = bound(alphas, part["responsibility"](old), part["bigram"], part["unigram"])
    axes.plot(alphas, [part["log_likelihood"](alpha) for alpha in alphas], color=BLUE, label="L, the log-likelihood")
    axes.plot(alphas, lower, "--", color=ORANGE, label=f"R, from α = {old:g}")
    for alpha, colour in ((old, INK), (new, GREEN)):
        axes.plot(alpha, part["log_likelihood"](alpha), "o", color=colour, zorder=3)
        axes.axvline(alpha, color=colour, linestyle=":", linewidth=1)
    note(axes, f"old α = {old:g}", (old, -10.6), (6, 0), ha="left")
    note(axes, f"new α = {new:.3f}", (new, -10.6), (6, 0), ha="left", color=GREEN)
    axes.set(xlabel="α, the weight of the unigram model", ylabel="log-likelihood, nats", ylim=(-11, -6))
    axes.legend(loc="upper right")


@drawing(5.5, 3.6)
def counts_in_new_text(axes: Axes) -> None:
    """What a bigram's count is worth in as much new text, beside what one discount for all counts leaves of it."""
    most = 8
    part = namespace("01", 2)
    means = [part["in_new_text"](r) for r in range(1, most + 1)]
    r = np.arange(1, most + 1)
    axes.plot(r, r, ":", color=INK, label="the count itself")
    axes.plot(r, means, "o-", color=BLUE, label="found in new text")
    axes.plot(r, r - part["D"], "--", color=ORANGE, label=f"the count less D = {part['D']:.2f}")
    axes.set(xlabel="count in train, r", ylabel="mean count in new text\nof the same length")
    axes.legend()


@drawing(6.2, 3.2)
def back_off_masses(axes: Axes) -> None:
    """The back-off mass of a history by the mean count of what follows it: a discount, and Witten-Bell."""
    part = namespace("01", 2)
    D = part["D"]
    means = np.geomspace(1, 64, 100)
    axes.plot(means, D / means, color=ORANGE, label=f"a discount of {D:.3f}")
    axes.plot(means, 1 / (means + 1), "--", color=BLUE, label="Witten-Bell")
    for word in ("miss", "hen"):
        after = [n for (history, _), n in part["village_pairs"].items() if history == word]
        mean = sum(after) / len(after)
        axes.plot([mean] * 2, [D / mean, 1 / (mean + 1)], "o", color=RED, markersize=5, zorder=3)
        note(axes, word, (mean, max(D / mean, 1 / (mean + 1))), (6, 4), ha="left", color=RED)
    axes.set_xscale("log", base=2)
    axes.set_xticks([1, 2, 4, 8, 16, 32, 64], [1, 2, 4, 8, 16, 32, 64])
    axes.set(xlabel="c(h) / T(h), the mean count of what follows", ylabel="back-off mass", ylim=(0, 0.65))
    axes.legend()


def back_off_tree() -> Figure:
    """One query's way down from the longest n-gram to one that was seen."""
    steps = data.look_up(QUERY)
    figure, axes = plt.subplots(figsize=(7, 0.9 * len(steps) + 0.9))
    box = {"boxstyle": "round,pad=0.4", "facecolor": "none"}
    for row, step in enumerate(steps):
        colour = GREEN if step.seen else ORANGE
        axes.text(0.02, -row, step.ngram, va="center", bbox={**box, "edgecolor": colour}, color=colour)
        context = " ".join(step.ngram.split()[:-1])
        description = f"seen: P = {step.number:.6f}" if step.seen else f"not seen: β({context}) = {step.number:.4f}"
        axes.text(0.42, -row, description, va="center")
        if row:
            axes.annotate("", (0.06, -row + 0.28), (0.06, -row + 0.72), arrowprops={"arrowstyle": "->", "color": INK})
    product = math.prod(step.number for step in steps)
    factors = " × ".join(f"{step.number:.4f}" if not step.seen else f"{step.number:.6f}" for step in steps)
    axes.text(0.02, -len(steps), f"P({QUERY[-1]} | {' '.join(QUERY[:-1])}) = {factors} = {product:.7f}", va="center")
    axes.set(xlim=(0, 1), ylim=(-len(steps) - 0.4, 0.5))
    axes.axis("off")
    return figure
