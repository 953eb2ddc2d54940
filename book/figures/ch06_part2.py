"""The figures of parts 2 and 3 of chapter 6: memory across sentences; what a perplexity counts, masks, means."""

from __future__ import annotations

from collections import Counter

import numpy as np
from matplotlib.axes import Axes

from book.figures.ch06 import FORBIDDEN
from book.figures.diagrams import arrow, box, centred, diagram
from book.figures.plots import bars, drawing, grouped, note
from book.figures.style import ATTENTION, BLUE, GREEN, INK, OLIVE, ORANGE, PURPLE, RED, TEAL
from book.lessons import ROOT
from book.lessons.cells import namespace
from chapters.attentive_lm.memory import window
from common.files import read_object
from common.text.corpus import load_corpus
from data.returns import distances

COLOURS = {
    "oracle": GREEN, "none": OLIVE, "single": PURPLE, "sentence": ORANGE, "pointer": RED, "kept": INK,
    "cache": TEAL, "memory": BLUE, "parts": "#d65db1",
}  # fmt: skip
RECORD = ROOT / "chapters" / "06_attentive_lm" / "figures" / "part2.json"
"""What `python -m tools.analyse --by recurrence ... --record` has written."""


@diagram(14.0, 4.6)
def beyond_the_sentence(axes: Axes) -> None:
    """A memory that spans the end of a sentence, and where the gradient stops."""
    words = ["<s>", "halika", "listens", ".", "<s>", "without"]
    for place, word in enumerate(words):
        x, now = 1.2 + 2.0 * place, place == len(words) - 1
        centred(axes, x, 0.3, word, style="italic")
        box(axes, x, 1.4, f"$h_{{{place + 1}}}$", colour=ORANGE if now else BLUE)
        arrow(axes, (x, 0.55), (x, 1.05))
        if place:
            arrow(axes, (x - 1.4, 1.4), (x - 0.65, 1.4), colour=INK)
        if not now and place:
            arrow(axes, (11.0, 1.75), (x + 0.1, 1.8), colour=GREEN, dashed=True, bend=0.25 + 0.02 * (5 - place))
    axes.plot([8.2, 8.2], [0.1, 4.3], color=RED, linestyle=":", linewidth=1.4)
    ends = "a piece ends: its states go on as numbers,\nno gradient goes back"
    axes.text(8.05, 4.1, ends, color=RED, ha="right", va="center", fontsize=9)
    axes.text(2.0, 3.2, "memory of N = 4 states", color=GREEN, ha="left", va="center", fontsize=9)
    axes.text(11.9, 1.4, "query", color=ORANGE, ha="left", va="center")
    centred(axes, 11.2, 2.9, "next word:\nhalika?")
    arrow(axes, (11.2, 1.75), (11.2, 2.5), colour=ORANGE)


@drawing(6.5, 2.6)
def who_may_come_back(axes: Axes) -> None:
    """The true distribution after *without*, alone and after a first sentence."""
    lesson = namespace("06", 2)
    rows = {"no sentence before": (lesson["alone"], INK), "after the first sentence": (lesson["after"], GREEN)}
    for group in grouped(axes, lesson["names"], rows, 0.38, 0.36):
        axes.bar_label(group, fmt="%.3f", fontsize=9, padding=2)
    axes.set(ylabel="P(next word | without)", ylim=(0, 0.47))
    axes.legend()


@drawing(7.5, 2.6)
def how_far_back(axes: Axes) -> None:
    """How many predictions ago the names stood that come back across sentences, in train."""
    train = load_corpus("village_paragraphs").train
    ago = Counter(distance for line in distances(train) for distance in line if distance)
    longest = 60
    axes.bar(range(1, longest + 1), [ago[distance] for distance in range(1, longest + 1)], color=BLUE, width=0.8)
    total = ago.total()
    for reach in (10, 20, 30):
        share = sum(number for distance, number in ago.items() if distance <= reach) / total
        axes.axvline(reach + 0.5, color=ORANGE, linestyle="--", linewidth=1)
        note(axes, f"{share:.0%}", (reach + 0.5, max(ago.values()) * 0.9), (3, 0), color=ORANGE, ha="left")
    axes.set(xlabel="predictions since the name stood last", ylabel="returns in train", xlim=(0, longest + 1))


@diagram(13.0, 5.2)
def three_parts(axes: Axes) -> None:
    """A state cut into key, value and prediction, and where each part goes."""
    for x, title in ((1.6, "$h_i$, in the memory"), (8.2, "$h_t$, now")):
        centred(axes, x, 4.9, title)
        for y, name, colour in ((4.2, "key", ORANGE), (3.4, "value", BLUE), (2.6, "predict", PURPLE)):
            box(axes, x, y, name, width=1.6, height=0.7, colour=colour)
    box(axes, 5.0, 4.2, "score", width=1.6, colour=ORANGE)
    arrow(axes, (2.45, 4.2), (4.15, 4.2), colour=ORANGE)
    arrow(axes, (7.35, 4.2), (5.85, 4.2), colour=ORANGE)
    box(axes, 5.0, 2.9, "weight $a_i$", width=1.6, colour=GREEN)
    arrow(axes, (5.0, 3.85), (5.0, 3.25), colour=GREEN)
    box(axes, 5.0, 1.4, "context $c_t$", width=2.0, colour=GREEN)
    arrow(axes, (5.0, 2.55), (5.0, 1.75), colour=GREEN)
    arrow(axes, (2.45, 3.3), (4.2, 1.75), colour=BLUE)
    box(axes, 10.2, 1.4, "$h'_t = \\tanh(W_c\\,[p_t; c_t] + b_c)$", width=4.4)
    arrow(axes, (6.05, 1.4), (7.95, 1.4), colour=GREEN)
    arrow(axes, (8.6, 2.2), (9.6, 1.75), colour=PURPLE)
    centred(axes, 10.2, 0.4, "next word")
    arrow(axes, (10.2, 1.05), (10.2, 0.65))


@drawing(8.5, 2.5, columns=3)
def parts_by_hand(*panels: Axes) -> None:
    """The worked example: keys decide the weights, values are averaged."""
    lesson = namespace("06", 2)
    context = lesson["weights"] @ lesson["values"]
    titles = {"keys": "keys", "weights": "weights", "values": "values, and their mean"}
    for axes, (name, title), colour in zip(panels, titles.items(), (ORANGE, GREEN, BLUE), strict=True):
        axes.bar(lesson["words"], lesson[name], color=colour)
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.set(title=title)
    panels[2].axhline(context, color=GREEN, linestyle="--", linewidth=1.2)
    note(panels[2], f"{context:.2f}", (2.3, context), color=GREEN, ha="left")


@drawing(7.5, 3.2, columns=2, width_ratios=(5, 9))
def windows_of_two_pieces(*panels: Axes) -> None:
    """What each step may attend to: the first piece of a text, and one that begins with a full memory."""
    for axes, past in zip(panels, (0, 4), strict=True):
        mask = window(past, 5, 4)
        axes.imshow(mask.T, cmap=ATTENTION, vmin=0, vmax=1.4, aspect="equal")
        last = 10 if past else 5
        states = [f"$h_{{{step}}}$" for step in range(last - 4 - past, last + 1)]
        axes.set_xticks(range(past + 5), states, fontsize=9)
        axes.set_yticks(range(5), states[-5:], fontsize=9)
        if past:
            axes.axvline(past - 0.5, color=RED, linestyle=":", linewidth=1.4)
        axes.set(title="a later piece: carried | its own" if past else "the first piece", xlabel="attended to")
        for spine in axes.spines.values():
            spine.set_visible(True)
    panels[0].set(ylabel="the step that attends")


@drawing(8.0, 3.4)
def returns_by_distance(axes: Axes) -> None:
    """Perplexity on names that come back across sentences, by how long ago they stood last."""
    missing = "missing: python -m tools.analyse --by recurrence --record makes it"
    record = read_object(RECORD, missing, "broken; make it again")
    groups = [name for name in next(iter(record.values()))[0] if name not in ("all", "all predictions")]
    for name, rows in record.items():
        means = [float(np.exp(np.mean([np.log(row[group]["perplexity"]) for row in rows]))) for group in groups]
        axes.plot(groups, means, marker="o", color=COLOURS[name], label=name)
    axes.set(yscale="log", xlabel="predictions since the name stood last", ylabel="perplexity on returns")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


@drawing(8.2, 2.8, columns=2)
def sum_and_divisor(left: Axes, right: Axes) -> None:
    """The surprises of one sentence, and its perplexity in three accountings."""
    lesson = namespace("06", 3)
    surprises = lesson["surprises"]
    bars(left, ["first word", "word 2", "word 3", "</s>"], surprises, [INK, BLUE, BLUE, BLUE], ".1f")
    left.bar(0, surprises[0], color="none", edgecolor=ORANGE, hatch="//", linewidth=0)
    left.set(ylabel="surprise, nats", ylim=(0, 6.3))
    values = [lesson[name] for name in ("honest", "published", "without_first")]
    names = ["all in both", "first word only\nin the divisor", "first word\nin neither"]
    bars(right, names, values, [GREEN, ORANGE, BLUE], ".2f")
    right.set(ylabel="perplexity", ylim=(0, 10.8))


@drawing(5.4, 2.6)
def printed_perplexity(axes: Axes) -> None:
    """One published perplexity, converted twice."""
    lesson = namespace("06", 3)
    names = ["as printed", "divided by what\nwas predicted", "first words\ncounted"]
    values = [lesson[name] for name in ("reported", "really_predicted", "with_first")]
    bars(axes, names, values, [ORANGE, BLUE, GREEN], ".1f")
    axes.set(ylabel="perplexity", ylim=(0, 104))


@drawing(8.2, 2.5, columns=2, sharey=True)
def masks_that_stay(*panels: Axes) -> None:
    """Which numbers of a state are dropped, by step: a new mask for each step, and one for the whole sentence."""
    rng, size, steps, rate = np.random.default_rng(6), 8, 12, 0.3
    anew = rng.random((size, steps)) < rate
    one = np.repeat(rng.random((size, 1)) < rate, steps, axis=1)
    for axes, mask, title in zip(panels, (anew, one), ("a new mask for each step", "one mask"), strict=True):
        axes.pcolormesh(mask, cmap=FORBIDDEN, vmin=0, vmax=1, edgecolors=INK, linewidth=0.4)
        axes.set(title=f"{title}: {(~mask).all(axis=1).sum()} of {size} survive", xlabel="step")
        axes.set_xticks(np.arange(steps) + 0.5, range(1, steps + 1), fontsize=9)
        axes.set_yticks([])
    panels[0].set(ylabel="numbers of the state")


@drawing(5.8, 2.8)
def mean_of_ends(axes: Axes) -> None:
    """A weight at the ends of four epochs, its loss, and that of the mean of the four."""
    ends = namespace("06", 3)["ends"]
    line = np.linspace(0.6, 1.4, 81)
    axes.plot(line, (line - 1) ** 2, color=INK, linewidth=1)
    axes.plot(ends, (ends - 1) ** 2, "o", color=BLUE)
    for epoch, end in enumerate(ends, start=1):
        note(axes, f"epoch {epoch}", (end, (end - 1) ** 2), (0, 7), color=BLUE, fontsize=9)
    axes.plot(ends.mean(), (ends.mean() - 1) ** 2, "o", color=ORANGE)
    note(axes, "mean", (ends.mean(), (ends.mean() - 1) ** 2), (0, -14), color=ORANGE, fontsize=9)
    axes.set(xlabel="weight", ylabel="loss", ylim=(-0.035, 0.17))
