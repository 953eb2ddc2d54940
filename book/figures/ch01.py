"""The figures of chapter 1. Each function draws what ch01_data.py and the lesson's cells compute."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from book.counted import distribution, followers, village
from book.figures import ch01_data as data
from book.figures.plots import bars, drawing, grouped, note, numbers_beside, pointer
from book.figures.style import BLUE, GREEN, INK, ORANGE, RED
from book.lessons.cells import namespace
from chapters.ngram_lm import smoothing

NAMED = {"then": (4, 5), "belongs": (4, 5), "quietly": (4, 6), "mira": (5, -3), "the": (-8, 6)}
"""Words that have their names beside them, and where."""


@drawing(7, 2.6, columns=2, sharey=True)
def counts_become_probabilities(left: Axes, right: Axes) -> None:
    """What follows *hen*: counts, and the same divided by their sum."""
    after = followers("hen")
    total = sum(after.values())
    shares = [count / total for count in after.values()]
    for axes, values, form, colour in ((left, list(after.values()), "d", BLUE), (right, shares, ".3f", GREEN)):
        axes.barh(range(len(after)), values, color=colour)
        numbers_beside(axes, values, form)
        axes.margins(x=0.18)
    left.set_yticks(range(len(after)), [f"hen {word}" for word in after])
    left.invert_yaxis()
    left.set(xlabel=f"count, {total} in all", title="c(hen w)")
    right.set(xlabel="probability, 1 in all", title=f"P(w | hen) = c(hen w) / {total}")


@drawing(6.5, 2.8)
def surprise_by_word(axes: Axes) -> None:
    """The new sentence: what each word costs the mixture."""
    surprises, words = namespace("01")["surprise"], namespace("01")["new"]
    bars(axes, words, surprises, [RED if nats == surprises.max() else BLUE for nats in surprises], ".3f")
    axes.axhline(surprises.mean(), color=INK, linestyle="--", linewidth=1)
    note(axes, f"mean {surprises.mean():.3f}", (len(words) - 0.45, surprises.mean()), ha="right")
    axes.set(ylabel="surprise, nats")


@drawing(5.5, 2.8)
def seen_before(axes: Axes) -> None:
    """How many n-grams of new text train holds, by order."""
    shares = data.share_seen()
    axes.bar(range(1, 6), [100 * share for share in shares], color=BLUE)
    for order, share in enumerate(shares, start=1):
        note(axes, f"{share:.1%}", (order, 100 * share))
    axes.set(xlabel="order n", ylabel="% of dev's n-grams in train", ylim=(0, 110))


@drawing(6.5, 3.4)
def weight_and_perplexity(axes: Axes) -> None:
    """Perplexity of the mixture by its weight, on train and on dev, and the way of EM down the dev curve."""
    alphas = np.concatenate([np.geomspace(1e-9, 0.002, 40), np.linspace(0.004, 0.999, 200)])
    axes.plot(alphas, [data.mixed_perplexity("train", alpha) for alpha in alphas], "--", color=INK, label="train")
    axes.plot(alphas, [data.mixed_perplexity("dev", alpha) for alpha in alphas], color=BLUE, label="dev")
    path = data.em_path(0.9, 40)
    best, rounds = path[-1], path[:7]
    axes.plot(rounds, [data.mixed_perplexity("dev", alpha) for alpha in rounds], "o", color=ORANGE, label="EM, rounds")
    pointer(axes, f"optimum: α = {best:.3f}", (best, data.mixed_perplexity("dev", best)), (30, 40))
    axes.set(xlabel="α, the weight of the unigram model", ylabel="perplexity", ylim=(15, 130), xlim=(0, 1))
    axes.legend(loc="upper left")


@drawing(6.5, 2.8)
def responsibilities(axes: Axes) -> None:
    """The first rounds of EM by hand: the unigram model's responsibility for each word of the new sentence."""
    lesson = namespace("01")
    alphas, words = lesson["alphas"][:3], lesson["new"]
    shares = [lesson["responsibility"](alpha) for alpha in alphas]
    rows = zip(alphas, shares, (BLUE, ORANGE, GREEN), strict=True)
    grouped(axes, words, {f"α = {alpha:.3f}": (share, colour) for alpha, share, colour in rows}, 0.27, 0.25)
    axes.set(ylabel="responsibility of the\nunigram model", ylim=(0, 1.15))
    axes.legend(ncols=3, loc="upper left", fontsize=9)


@drawing(6.8, 3.2)
def mass_moved(axes: Axes) -> None:
    """After *hen*: maximum likelihood, and what discounting takes from the words seen and gives to all others."""
    vocab = village()[0]
    seen = list(followers("hen"))
    ids = [vocab.ids[word] for word in seen]
    models = [data.trained(method, 2) for method in ("maximum-likelihood", "absolute")]
    masses = [[*probs[ids], 1 - probs[ids].sum()] for probs in (distribution(lm, ["hen"]) for lm in models)]
    names = [*seen, f"the other\n{len(vocab) - len(seen):,} words"]
    rows = {"maximum likelihood": (masses[0], INK), "discounted": (masses[1], [BLUE] * len(seen) + [ORANGE])}
    grouped(axes, names, rows, 0.4, 0.38)
    for place, (before, after) in enumerate(zip(*masses, strict=True)):
        note(axes, f"{after - before:+.3f}".replace("-", "−"), (place, max(before, after)))
    axes.set(ylabel="P(w | hen)")
    axes.legend(loc="upper right")


@drawing(6, 3.8)
def continuations(axes: Axes) -> None:
    """How often a word occurs, and after how many different words."""
    vocab, levels, *_ = village()
    fits = smoothing.continuation_counts(levels)[0].counts
    often = levels[0].counts
    axes.scatter(often[1:], fits[1:], s=9, color=BLUE, alpha=0.5, linewidths=0)
    for word, offset in NAMED.items():
        place = (often[vocab.ids[word]], fits[vocab.ids[word]])
        axes.scatter(*place, s=26, color=RED, linewidths=0)
        note(axes, word, place, offset, color=RED, ha="left")
    axes.set(xscale="log", yscale="log", xlabel="how often the word occurs", ylabel="after how many different words")


@drawing(6.5, 3.8)
def perplexity_by_order(axes: Axes) -> None:
    """Perplexity on dev by order, a line a smoothing method."""
    perplexities = data.dev_perplexities()
    for name in dict.fromkeys(name for name, _ in perplexities):
        orders = [order for method, order in perplexities if method == name]
        axes.plot(orders, [perplexities[name, order] for order in orders], "o-", markersize=4, label=name)
    oracle = data.corpus().oracle("dev")["perplexity"]
    axes.axhline(oracle, color=INK, linestyle="--", linewidth=1)
    note(axes, f"oracle {oracle:.2f}", (2, oracle), (0, 4), ha="left")
    axes.set(xlabel="order n", ylabel="perplexity on dev", xticks=range(2, 6), ylim=(0, 42))
    axes.legend(fontsize=9, loc="lower right", ncols=2, bbox_to_anchor=(1, 0.24))
