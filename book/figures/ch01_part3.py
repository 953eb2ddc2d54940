"""The figures of part 3 of chapter 1: classes of histories and their weights, and caches of running text."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes

from book.counted import village
from book.figures.ch01_part3_data import paragraphs, tuned
from book.figures.plots import drawing, note
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED
from book.lessons.cells import namespace
from chapters.ngram_lm import running

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
    axes.set(
        xlabel="c(h) / T(h), the mean count of what follows",
        ylabel="α, the weight of the\nshorter history",
        ylim=(0, 1),
    )
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
