"""The figures of parts 2 and 3 of chapter 1: EM, what counts are worth, backing off; classes of histories, caches."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.counted import village
from book.figures import ch01_data as data
from book.figures.ch01_part3_data import paragraphs, tuned
from book.figures.plots import drawing, note
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED
from book.lessons.cells import namespace
from chapters.ngram_lm import running
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


NAMED = {"hen": (6, -10), "miss": (-4, 8), "belongs": (6, 0), "the": (-12, -14), "dora": (-24, 8)}
"""Histories that have their names beside them, and where."""
SHOWN = (4, 7)
"""The paragraph of dev that is drawn: its first line, and the line after its last."""


@drawing(6.2, 3.9)
def two_measures(axes: Axes) -> None:
    """Every word of the village as a history: how often it was seen, and how many different words followed."""
    lesson = namespace("01", 3)
    words = [word for word in ["<s>", *village()[0].words] if lesson["seen"][word]]
    seen, kinds = (np.array([lesson[name][word] for word in words]) for name in ("seen", "kinds"))
    axes.loglog(seen, kinds, ".", color=BLUE, markersize=4, alpha=0.5)
    most = np.array([1, 2e4])
    for steps in range(0, 17, 2):
        axes.plot(most, most / 2 ** (steps / 2), "--", color=INK, linewidth=0.6)
    axes.axvspan(32, 64, color=ORANGE, alpha=0.25, linewidth=0)
    for word, offset in NAMED.items():
        h = words.index(word)
        axes.plot(seen[h], kinds[h], "o", color=RED, markersize=5)
        note(axes, word, (seen[h], kinds[h]), offset, color=RED, ha="left")
    axes.set(xlabel="c(h), how often the history was seen", ylabel="T(h), different words after it", ylim=(0.8, 900))


@drawing(7.4, 2.7, columns=2, sharey=True)
def em_in_classes(left: Axes, right: Axes) -> None:
    """The first responsibilities by hand: one mean of all, and one of each class."""
    lesson = namespace("01", 3)
    words, once, (shares, alphas) = lesson["new"], lesson["once"], lesson["rounds"][0]
    for axes in (left, right):
        colours = INK if axes is left else np.where(once, ORANGE, BLUE)
        axes.bar(range(len(words)), shares, color=colours, alpha=0.8)
        axes.set_xticks(range(len(words)), words)
    left.axhline(shares.mean(), color=RED)
    note(left, f"mean {shares.mean():.3f}", (5.4, shares.mean()), ha="right")
    for place, alpha in enumerate(alphas):
        right.plot([place - 0.5, place + 0.5], [alpha] * 2, color=RED)
    note(right, f"mean {alphas[2]:.3f}", (4.4, alphas[2]), ha="right")
    note(right, f"mean {alphas[0]:.3f}", (0.5, alphas[0]), (0, 12), ha="center")
    left.set(ylabel="responsibility of the\nunigram model", title="one weight", ylim=(0, 1.1))
    right.set(title="seen once (orange), more often (blue)")


@drawing(6.4, 3.4)
def weights_found(axes: Axes) -> None:
    """The alphas that EM finds on the village's dev for bigrams and trigrams, class by class."""
    alphas, met, fixed = tuned()
    for order, colour in ((2, BLUE), (3, ORANGE)):
        times = np.bincount(met[order - 1], minlength=len(alphas[order - 1]))
        used = np.flatnonzero(times >= 100)
        values = 2 ** ((used + 0.5) / 2)
        axes.plot(values, alphas[order - 1][used], color=colour, linewidth=1)
        axes.scatter(values, alphas[order - 1][used], times[used] / 15, color=colour, label=f"order {order}", zorder=3)
        axes.axhline(fixed[order - 1], color=colour, linestyle="--", linewidth=1)
    axes.set_xscale("log", base=2)
    axes.set_xticks([1, 2, 4, 8, 16, 32, 64, 128, 256], [1, 2, 4, 8, 16, 32, 64, 128, 256])
    axes.set(xlabel="c(h) / T(h), the mean count of what follows", ylim=(0, 1))
    axes.set(ylabel="α, the weight of the\nshorter history")
    axes.legend(markerscale=0.5)


@drawing(9, 2.8)
def cache_along_a_text(axes: Axes) -> None:
    """One paragraph: what each word costs without a cache, and with the unigram cache that is best on dev."""
    text, sentences = paragraphs()
    ends = np.cumsum([0, *(len(sentence) + 1 for sentence in sentences)])
    here = slice(ends[SHOWN[0]], ends[SHOWN[1]])
    words = [word for line in sentences[SHOWN[0] : SHOWN[1]] for word in [*line, "</s>"]]
    gain = (running.adapted(text, running.tune(text, (1,))) - text.log_probs)[here]
    axes.bar(range(len(words)), gain, color=[GREEN if nats > 0 else RED for nats in gain])
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set_xticks(range(len(words)), words, rotation=90, fontsize=9)
    axes.set(ylabel="nats gained")
    axes.margins(x=0.01)


@drawing(6.2, 3.2)
def reach_and_perplexity(axes: Axes) -> None:
    """Perplexity on the dev paragraphs by how far back a cache reaches, its weight tuned for each."""
    text, _ = paragraphs()
    windows = running.WINDOWS
    for name, order, colour in (("unigram cache", 1, BLUE), ("bigram cache", 2, PURPLE)):
        tried = [running.tune_weight_in(text, order, window) for window in windows]
        perplexities = [math.exp(-running.adapted(text, [cache]).mean()) for cache in tried]
        axes.plot(windows, perplexities, "o-", color=colour, label=name, markersize=4)
    axes.axhline(math.exp(-text.log_probs.mean()), color=INK, linestyle="--", linewidth=1, label="no cache")
    axes.set_xscale("log")
    axes.set_xticks(windows, [f"{window:,}" for window in windows], rotation=40)
    axes.minorticks_off()
    axes.set(xlabel="reach of the cache, words", ylabel="perplexity on dev")
    axes.legend()
