"""The figures of chapter 9 that show trained models: from recorded.json, and from variants.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from matplotlib.axes import Axes

from book.figures.diagrams import frames
from book.figures.plots import drawing, note, weight_map
from book.figures.recorded import recorded
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED
from book.lessons import ROOT
from book.lessons.cells import namespace
from common.files import read_json
from tools.significance import critical_value

CHAPTER = "09_word_attention"
KINDS = {
    "reordering": "another order", "choice": "free choice", "agreement": "agreement", "idiom": "idioms",
    "ambiguity": "which of two meanings", "case": "a particle", "local": "the next source word",
    "<unk>": "an unknown word", "</s>": "</s>", "name": "a name to be copied",
}  # fmt: skip
READINGS = {"gates-word-gated": "our reading", "gates-state-plain": "as printed"}
QUESTIONS = {
    "word attention": (("rnnsearch-state", "word-state"), ("rnnsearch-word", "word-word")),
    "gates, as printed in Eq. 4": (("word-state", "gates-state-plain"), ("word-word", "gates-word-plain")),
    "gates, gated output": (("word-state", "gates-state-gated"), ("word-word", "gates-word-gated")),
    "the last word in the query": (("rnnsearch-state", "rnnsearch-word"), ("word-state", "word-word"),
                                   ("gates-state-plain", "gates-word-plain"),
                                   ("gates-state-gated", "gates-word-gated")),
}  # fmt: skip
"""The comparisons of variants.json, as the figure groups them."""


@cache
def variants() -> dict:
    """The chapter's comparison of its systems."""
    return dict(read_json(ROOT / "chapters" / CHAPTER / "variants.json"))


def published_difference(first: str, second: str, metric: str) -> dict:
    """The row of variants.json that compares two systems of the embedded pairs, with its interval (low, high)."""
    rows = variants()["village_pairs"]["differences"]
    return next(row for row in rows if (row["first"], row["second"], row["metric"]) == (first, second, metric))


def attentions(panels: Sequence[Axes], example: Mapping, maps: Mapping[str, Sequence]) -> None:
    """Attention of one test sentence side by side, by title, with the true links framed; target words on the left."""
    target = [*example["target"], "</s>"]
    for axes, (title, weights) in zip(panels, maps.items(), strict=True):
        weight_map(axes, np.array(weights), example["source"], aspect="auto")
        frames(axes, example["links"], RED)
        axes.set(title=title)
    panels[0].set_yticks(range(len(target)), target, fontsize=9)


@drawing(10.2, 4.6, columns=3, width_ratios=(10, 10, 2.2), sharey=True)
def two_attentions(*panels: Axes) -> None:
    """Both attentions of a trained model on one test sentence, and the share of the word context in each row."""
    example = recorded(CHAPTER)["sentence"]
    maps = {"attention to annotations": example["attention"], "attention to words": example["word_attention"]}
    attentions(panels[:2], example, maps)
    panels[2].barh(range(len(example["gates"])), example["gates"], color=ORANGE)
    panels[2].axvline(0.5, color=INK, linestyle=":", linewidth=1)
    panels[2].set(title="mean of $1 - o_t$", xlim=(0, 1))
    panels[2].tick_params(axis="y", length=0)


def gated(example: Mapping) -> list[np.ndarray]:
    """Both attentions behind the gate, each (T, S): the mean over the elements of $o_t$ times annotation attention, and
    that of $1 - o_t$ times word attention. A row of the two together sums to 1."""
    share = np.array(example["gates"])[:, None]
    return [(1 - share) * np.array(example["attention"]), share * np.array(example["word_attention"])]


@drawing(8.4, 7.4, rows=2, columns=2, sharex=True, sharey=True)
def gated_attentions(*panels: Axes) -> None:
    """Both attentions of a trained model on one test sentence, above as they are, below times the mean of the gate."""
    example = recorded(CHAPTER)["sentence"]
    above = {"attention to annotations": example["attention"], "attention to words": example["word_attention"]}
    below = dict(zip(("times the mean of $o_t$", "times the mean of $1 - o_t$"), gated(example), strict=True))
    for row, maps in ((panels[:2], above), (panels[2:], below)):
        attentions(row, example, {title: np.round(weights, 4) for title, weights in maps.items()})


@drawing(7.6, 3.7)
def what_opens_the_gate(axes: Axes) -> None:
    """The share of the word context by what decides the target word, a dot for each seed."""
    opened = recorded(CHAPTER)["opened"]
    first = opened["gates-word-gated"]["by_kind"]
    kinds = sorted(KINDS, key=lambda kind: np.mean(first[kind]["share"]))
    for shift, (system, label), colour in zip((0.15, -0.15), READINGS.items(), (BLUE, GREEN), strict=True):
        rows = np.array([opened[system]["by_kind"][kind]["share"] for kind in kinds])
        for place, row in enumerate(rows):
            axes.plot(row, [place + shift] * len(row), "o", color=colour, markersize=3, alpha=0.6)
            axes.plot(np.round(row.mean(), 4), place + shift, "|", color=colour, markersize=14, markeredgewidth=2)
        axes.plot([], [], "o", color=colour, label=label)
    axes.axvline(0.5, color=INK, linestyle=":", linewidth=1)
    axes.set_yticks(range(len(kinds)), [f"{KINDS[kind]} ({first[kind]['words']:,})" for kind in kinds], fontsize=9)
    axes.set(xlabel="share of the word context, mean of $1 - o_t$")
    axes.legend(loc="lower right", fontsize=9)


ANNOTATED = {
    "08_attention": "chapter 8",
    "rnnsearch-word": "no word attention",
    "gates-word-gated": "word attention and gates",
}


@drawing(8.8, 3.0, columns=2, width_ratios=(3, 2))
def annotations_of_one_word(left: Axes, right: Axes) -> None:
    """How alike annotations of one word in two sentences are, and how often the nearest one is another word's."""
    record = recorded(CHAPTER)["similarity"]
    edges = np.array(record["edges"])
    for name, colour, label in (("different", INK, "two words"), ("same", BLUE, "one word, two sentences")):
        left.stairs(record[name], edges, color=colour, fill=True, alpha=0.45, label=label)
        left.axvline(record["means"][name], color=colour, linestyle="--", linewidth=1)
    left.axvline(1, color=ORANGE, linewidth=3, label="its embedding: always 1")
    left.set(xlabel="cosine similarity of two annotations", ylabel="share of all", xlim=(-1.0, 1.05))
    left.set_ylim(0, 1.5 * left.dataLim.ymax)  # room for the legend
    left.legend(fontsize=9, loc="upper left")
    for place, (system, label) in enumerate(ANNOTATED.items()):
        rates = [np.array(runs) for runs in record["rates"][system].values()]
        places = np.arange(len(rates)) + 0.27 * (place - 1)
        means = [100 * runs.mean() for runs in rates]
        right.bar(places, means, color=(PURPLE, BLUE, GREEN)[place], width=0.25, label=label)
        for x, runs in zip(places, rates, strict=True):
            right.plot(np.full(len(runs), x), 100 * runs, "o", color=INK, markersize=2)
    right.set_xticks(range(len(record["missed"])), record["missed"])
    right.set(title="nearest annotation is another word's", ylabel="%", ylim=(0, 1.4 * right.dataLim.ymax))
    right.legend(fontsize=9, loc="upper right")


@drawing(8.2, 4.2)
def differences(axes: Axes) -> None:
    """Differences in BLEU between systems with their 95% intervals, from variants.json."""
    rows = {(row["first"], row["second"]): row for row in variants()["village_pairs"]["differences"]
            if row["metric"] == "BLEU"}  # fmt: skip
    y, ticks, labels = 0.0, [], []
    for question, pairs in QUESTIONS.items():
        axes.text(-2.1, y, question, fontsize=9, va="center", color=PURPLE)
        for pair in pairs:
            y -= 1
            row = rows[pair]
            clear = row["low"] > 0 or row["high"] < 0
            colour = (GREEN if row["found"] > 0 else RED) if clear else INK
            axes.plot(np.round([row["low"], row["high"]], 4), [y, y], color=colour, linewidth=1.6)
            axes.plot(round(row["found"], 4), y, "o", color=colour)
            ticks.append(y)
            labels.append(f"{pair[1]} − {pair[0]}")
        y -= 1.2
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set_yticks(ticks, labels, fontsize=9)
    axes.set(xlabel="difference in BLEU, five seeds each, with its 95% interval", xlim=(-2.2, 4.4))


@drawing(8.0, 2.4, columns=2, width_ratios=(1.5, 1))
def five_runs(left: Axes, right: Axes) -> None:
    """Log perplexities of five runs of two systems and their means; the difference of the means with its interval."""
    logs, row = namespace("09")["logs"], namespace("09")["row"]
    for place, (values, colour) in enumerate(zip(logs, (BLUE, ORANGE), strict=True)):
        left.plot(np.round(values, 4), [-place] * len(values), "o", color=colour, alpha=0.7)
        left.plot(round(values.mean(), 4), -place, "|", color=colour, markersize=24, markeredgewidth=2)
    left.set_yticks([0, -1], ["without word attention", "with it"])
    left.set(xlabel="log perplexity, nats per word", ylim=(-1.6, 0.6))
    right.plot(np.round([row["low"], row["high"]], 4), [0, 0], color=GREEN, linewidth=2)
    right.plot(round(row["found"], 4), 0, "o", color=GREEN)
    right.axvline(0, color=INK, linewidth=0.8)
    right.set(xlabel="difference of the means", yticks=[], xlim=(-0.08, 0.02), ylim=(-0.6, 0.6))


@drawing(6.4, 2.8)
def half_the_interval(axes: Axes) -> None:
    """How large a difference must be to be shown, by the number of seeds."""
    seeds = np.arange(2, 21)
    half = [critical_value(2 * (n - 1)) * np.sqrt(2 / n) for n in seeds]
    axes.plot(seeds, np.round(half, 4), "o-", color=GREEN, markersize=4)
    axes.plot(5, round(half[3], 4), "o", color=PURPLE, markersize=9)
    note(axes, "five seeds", (5, round(half[3], 4)), (30, 8), color=PURPLE)
    axes.set(
        xlabel="seeds of each system", ylabel="half the interval, in $d$", xticks=[2, 5, 10, 15, 20], ylim=(0, 4.6)
    )


@drawing(7.4, 2.4)
def what_makes_the_error(axes: Axes) -> None:
    """The variance of the gain in BLEU: by the seeds of either system, and by sentences, with and without the luck."""
    part = namespace("09", 3)
    first, second = part["by_seeds"]
    parts = [(first, BLUE), (second, ORANGE), (part["rest"], GREEN), (part["luck"], RED)]
    rows = {"luck counted twice": parts, "luck counted once": parts[:-1]}
    labels = ["seeds, without word attention", "seeds, with it", "sentences", "luck of single runs with sentences"]
    for place, pieces in enumerate(rows.values()):
        left = 0.0
        for (width, colour), label in zip(pieces, labels, strict=False):
            axes.barh(-place, round(width, 4), left=round(left, 4), color=colour, label=None if place else label)
            left += width
    axes.set_yticks([0, -1], list(rows))
    axes.set(xlabel="variance of the difference in BLEU", ylim=(-1.6, 1.5))
    axes.legend(fontsize=9, loc="upper right", ncols=2)


@drawing(10.2, 2.8, columns=4, width_ratios=(0.8, 1, 1, 1))
def seeds_and_sentences(*panels: Axes) -> None:
    """The bootstrap: what drawing seeds, sentences, and both does to one difference."""
    record = recorded(CHAPTER)["bootstrap"]
    names = {"sentences": "other sentences", "seeds": "other seeds", "both": "both"}
    for place, values in enumerate(record["scores"].values()):
        panels[0].plot([place] * len(values), values, "o", color=BLUE, alpha=0.6, markersize=4)
        panels[0].plot(place, np.round(np.mean(values), 4), "_", color=BLUE, markersize=22, markeredgewidth=2)
    panels[0].set_xticks([0, 1], [name.replace("-", "-\n") for name in record["scores"]])
    panels[0].set(title="five runs each", xlim=(-0.5, 1.5), ylabel="BLEU")
    for axes, (part, title) in zip(panels[1:], names.items(), strict=True):
        axes.stairs(record["drawn"][part], record["edges"], color=PURPLE, fill=True, alpha=0.5)
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.axvline(record["found"], color=PURPLE, linewidth=1)
        axes.set(title=title, xlabel="difference", yticks=[], xlim=(record["edges"][0], record["edges"][-1]))
    low, high = record["interval"]
    panels[3].plot([low, high], [2, 2], color=GREEN, linewidth=4)
