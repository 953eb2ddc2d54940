"""The figures of chapter 2: the examples by hand, optimisation, and what was recorded of models of the village."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from book.figures import ch02_data as data, ch02_record
from book.figures.diagrams import arrow, box, centred, diagram
from book.figures.plots import drawing, grouped, note, pointer
from book.figures.recorded import recorded
from book.figures.style import BLUE, GREEN, INK, OLIVE, ORANGE, PURPLE, RED, TEAL
from book.lessons.cells import namespace
from chapters.loglinear_lm.optimisers import OPTIMISERS

NAMES = {"sgd": "SGD", "momentum": "momentum", "adagrad": "AdaGrad", "adam": "Adam"}
SHOWN = ["giggles", "feeds", "ponies", "“.”"]
"""The words of the examples, the full stop so that it can be seen."""
COLOURS = dict(zip(NAMES, (BLUE, ORANGE, GREEN, PURPLE), strict=True))


@diagram(12.4, 4.6, 0.58)
def columns_sum_to_scores(axes: Axes) -> None:
    """After *the girl*: the base scores and the columns of two features, summed word by word."""
    lesson = namespace("02")
    columns = {title: lesson[name] for title, name in
               (("base scores", "b"), ("word1 = girl", "girl"), ("word2 = the", "the"), ("scores", "s"))}  # fmt: skip
    for row, word in enumerate(SHOWN):
        axes.text(1.1, 3.3 - 0.8 * row, word, ha="right", va="center", color=INK, style="italic")
    for place, (title, column) in enumerate(columns.items()):
        x = 2.2 + 2.9 * place
        centred(axes, x, 4.15, title, color=INK, fontsize=9)
        for row, value in enumerate(column):
            colour = BLUE if value > 0 else ORANGE
            box(axes, x, 3.3 - 0.8 * row, f"{value:+.1f}", 1.5, 0.62, colour=colour, size=10)
        if place:
            centred(axes, x - 1.45, 2.1, "+" if place < 3 else "=", color=INK, fontsize=16)


def bars(axes: Axes, values: np.ndarray, form: str, colours: list[str] | str, title: str) -> None:
    """Bars of the four words of the examples, each with its number."""
    axes.bar(range(len(values)), values, color=colours)
    for place, value in enumerate(values):
        up, side = (3, "bottom") if value >= 0 else (-3, "top")
        note(axes, format(value, form), (place, value), (0, up), va=side, fontsize=9)
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set_xticks(range(len(values)), SHOWN)
    axes.tick_params(axis="x", length=0)
    axes.set(title=title)
    axes.margins(y=0.15)


@drawing(8.4, 2.7, columns=3)
def softmax_as_bars(*axes: Axes) -> None:
    """Scores, their exponentials, and these divided by their sum."""
    lesson = namespace("02")
    powers = np.round(np.exp(lesson["s"]), 6)
    bars(axes[0], np.round(lesson["s"], 4), ".1f", BLUE, "score s")
    bars(axes[1], powers, ".2f", ORANGE, "exp(s)")
    bars(axes[2], np.round(lesson["p"], 6), ".3f", GREEN, f"exp(s) / {powers.sum():.2f}")


@drawing(8.4, 2.7, columns=3, sharey=True)
def prediction_minus_truth(*axes: Axes) -> None:
    """The gradient by the scores: what the model expected, minus what came."""
    lesson = namespace("02")
    bars(axes[0], np.round(lesson["p"], 6), ".3f", GREEN, "prediction p")
    bars(axes[1], lesson["truth"], ".0f", INK, "truth: feeds came")
    difference = np.round(lesson["gradient"], 6)
    bars(axes[2], difference, "+.3f", [RED if value > 0 else BLUE for value in difference], "gradient, p − truth")


@drawing(8.4, 2.9, columns=3, sharex=True, sharey=True)
def minibatch_estimates(*panels: Axes) -> None:
    """Gradients of two base scores from minibatches of three sizes, around that of all sentences."""
    words = ("the", "a")
    whole = np.round(data.sentence_gradients(words).mean(axis=0), 4)
    for axes, size in zip(panels, (1, 8, 64), strict=True):
        gradients = data.minibatch_gradients(words, size, 200)
        axes.scatter(gradients[:, 0], gradients[:, 1], s=9, color=BLUE, alpha=0.45, linewidths=0)
        axes.plot(*whole, "+", color=RED, markersize=14, markeredgewidth=2)
        axes.set(title=f"minibatches of {size}", xlabel=f"gradient w.r.t.\nthe score of “{words[0]}”")
    panels[0].set(ylabel=f"gradient w.r.t.\nthe score of “{words[1]}”")


def bowl(axes: Axes) -> float:
    """Lines of equal loss in the bowl; the least loss."""
    first, second, height = data.surface()
    levels = height.min() + np.array([0.005, 0.03, 0.1, 0.22, 0.4, 0.65, 1.0, 1.5])
    axes.contour(first, second, height, np.round(levels, 4), colors=INK, linewidths=0.7)
    return float(height.min())


@drawing(6.6, 4.6)
def optimiser_paths(axes: Axes) -> None:
    """Four optimisers in one bowl: where each is after each of twenty steps."""
    bowl(axes)
    for kind, rate in data.RATES.items():
        path = data.walk(kind, rate, 20).path
        label = f"{NAMES[kind]}, η = {rate:g}"
        axes.plot(path[:, 0], path[:, 1], "o-", color=COLOURS[kind], markersize=3.5, linewidth=1.3, label=label)
    axes.plot(*data.BEGIN, "o", color=INK, markersize=9)
    note(axes, "start", data.BEGIN, (-6, 8), ha="right")
    best = data.walk("sgd", 8.0, 400).path[-1]
    axes.plot(*best, "*", color=RED, markersize=14, zorder=5)
    note(axes, "minimum", best, (-12, -4), ha="right", color=RED)
    axes.set(xlabel="parameter of a feature active in 95% of the contexts")
    axes.set(ylabel="parameter of a feature active in 15%")
    axes.legend(loc="upper right", fontsize=9)


@drawing(8.6, 3.4, columns=2)
def learning_rates(left: Axes, right: Axes) -> None:
    """Three learning rates in the bowl, and dev perplexity by learning rate for four optimisers on the village."""
    for rate, colour, dashes in zip(data.FEW_STEPS, (ORANGE, GREEN, RED), ("--", "-", ":"), strict=True):
        left.plot(data.walk("sgd", rate, 20).losses, dashes, color=colour, label=f"η = {rate:g}")
    left.set(xlabel="step", ylabel="loss, nats", title="SGD in the bowl", ylim=(0.4, 2.6), xticks=range(0, 21, 5))
    left.legend(loc="upper right", fontsize=9)
    for kind, rows in recorded("02_loglinear_lm")["rates"].items():
        finite = [row for row in rows if row[1] is not None]
        right.plot(*zip(*finite, strict=True), "o-", color=COLOURS[kind], markersize=4, label=NAMES[kind])
        usual = OPTIMISERS[kind].rate
        right.plot(usual, dict(rows)[usual], "o", color=COLOURS[kind], markersize=11, fillstyle="none")
    right.set(xscale="log", xlabel="learning rate η", ylabel="perplexity on dev", title="on the village", ylim=(20, 80))
    left.figure.legend(*right.get_legend_handles_labels(), fontsize=9, loc="outside right center")


@drawing(6.2, 2.7)
def running_means(axes: Axes) -> None:
    """Adam's mean of a gradient that is always 1, with and without the correction for its start at zero."""
    plain, corrected = data.corrected_means(40)
    steps = np.arange(1, len(plain) + 1)
    axes.plot(steps, plain, "o-", color=ORANGE, markersize=3, label="the mean as it is remembered")
    axes.plot(steps, corrected, "o-", color=GREEN, markersize=3, label="divided by 1 − 0.9ᵗ")
    axes.set(xlabel="step t", ylabel="mean of gradients\nthat are all 1", ylim=(0, 1.2))
    axes.legend(loc="lower right", fontsize=9)


@drawing(8.6, 2.8, columns=3, sharey=True)
def sums_and_pairs(*panels: Axes) -> None:
    """Four contexts, three words: the truth, the best sums of single words, and the best pairs."""
    table = data.toy_table()
    titles = {"truth": "the truth", "word1,word2": "best sum of two words", "pair21": "best with pairs"}
    for axes, (spec, title) in zip(panels, titles.items(), strict=True):
        for number, (word, colour) in enumerate((("steak", RED), ("hay", ORANGE), ("beans", GREEN))):
            heights = [round(table[spec][context][word], 3) for context in table[spec]]
            axes.barh(np.arange(len(heights)) + (number - 1) * 0.27, heights, 0.25, color=colour, label=word)
        axes.set(title=title, xlim=(0, 1), xlabel="probability")
    panels[0].set_yticks(range(len(table["truth"])), [" ".join(context) for context in table["truth"]])
    panels[0].invert_yaxis()
    panels[0].figure.legend(*panels[0].get_legend_handles_labels(), fontsize=9, loc="outside right center")


@diagram(11.6, 4.9, 0.6)
def a_minibatch_turned_round(axes: Axes) -> None:
    """One table of positions and features: rows are added on the way forward, columns on the way back."""
    names = ("word1 = girl", "word1 = son", "word2 = the", "word1 = giggles")
    lesson = namespace("02")
    for column, name in enumerate(names):
        centred(axes, 4.2 + 1.5 * column, 4.25, name.replace(" = ", "\n= "), fontsize=9)
    befores = ("the girl", "the son", "the girl", "girl giggles")
    for row, (before, active) in enumerate(zip(befores, lesson["active"], strict=True)):
        y = 3.4 - 0.7 * row
        axes.text(3.2, y, f"{before} ({row})", ha="right", va="center", fontsize=9)
        for column in range(len(names)):
            on = column in active
            box(axes, 4.2 + 1.5 * column, y, "1" if on else "0", 1.2, 0.5, colour=BLUE if on else INK)
        arrow(axes, (9.45, y), (10.05, y), colour=GREEN)
        axes.text(10.15, y, f"scores {row}", va="center", color=GREEN, fontsize=9)
    for column in range(len(names)):
        x = 4.2 + 1.5 * column
        arrow(axes, (x, 0.95), (x, 0.5), colour=ORANGE)
        used = map(str, lesson["turned_round"][column])
        centred(axes, x, 0.25, f"from {', '.join(used)}", color=ORANGE, fontsize=9)
    axes.text(3.1, 0.25, "gradients", ha="right", va="center", color=ORANGE, fontsize=9)


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
    pointer(axes, "best on dev: kept", (best + 1, dev[best]), (4, 22), GREEN, color=GREEN)
    axes.axvline(best + 1 + PATIENCE, color=ORANGE, linestyle=":", linewidth=1.5)
    note(axes, "patience ends", (best + 1 + PATIENCE, min(curves["train"])), (5, 2), color=ORANGE, ha="left")
    axes.set(xlabel="epoch", ylabel="loss, nats per prediction", xticks=list(epochs))
    axes.legend(loc="center right", fontsize=9)


@drawing(7.4, 3.4)
def template_contributions(axes: Axes) -> None:
    """What b and each template of features add to the scores of four words, after the beginning of a sentence."""
    templates = recorded("02_loglinear_lm")["templates"]
    names = list(next(iter(templates["contributions"].values())))
    colours = [INK, BLUE, TEAL, GREEN, OLIVE, ORANGE]
    width = 0.8 / len(names)
    rows = {name: ([parts[name] for parts in templates["contributions"].values()], colour)
            for name, colour in zip(names, colours, strict=True)}  # fmt: skip
    labels = [f"{word}\np = {templates['probabilities'][word]:.4f}" for word in templates["contributions"]]
    grouped(axes, labels, rows, width, 0.9 * width)
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set(ylabel="added to the score", title=" ".join(ch02_record.SENTENCE[: ch02_record.READ]) + " ...")
    axes.legend(fontsize=9, ncols=3, loc="best")
