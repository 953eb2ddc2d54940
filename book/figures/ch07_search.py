"""The figures of chapter 7 on searching for translations and on judging them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.figures.beams import Candidate, Table, traced
from book.figures.diagrams import arrow, box, canvas, centred, diagram
from book.figures.plots import drawing, note
from book.figures.recorded import recorded
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED
from book.lessons.cells import namespace
from common.search.decoding import greedy
from common.search.length_prior import length_score

CHAPTER = "07_encoder_decoder"


def draw_tree(
    axes: Axes, steps: Sequence[Sequence[Candidate]], label: Callable[[Candidate], str], wide: float, high: float
) -> None:
    """The continuations of each step in a column, the best above: those that stayed solid, the pruned ones dashed."""
    rows = max(map(len, steps))
    places = {(): (0.6, high * rows / 2)}
    box(axes, *places[()], "<s>", 0.7, 0.5, colour=INK)
    for number, step in enumerate(steps, start=1):
        for row, candidate in enumerate(step):
            x, y = 0.6 + wide * number, high * (rows - row - 0.5)
            ends = candidate.kept and candidate.words[-1] == "</s>"
            colour = (GREEN if ends else BLUE) if candidate.kept else INK
            style = {"colour": colour, "dashed": not candidate.kept}
            box(axes, x, y, label(candidate), wide - 0.75, high - 0.22, size=9, **style)
            before = places[candidate.words[:-1]]
            half = 0.35 if number == 1 else (wide - 0.75) / 2
            arrow(axes, (before[0] + half, before[1]), (x - (wide - 0.75) / 2, y), **style)
            if candidate.kept:
                places[candidate.words] = (x, y)


@diagram(9.5, 4.3, 0.78)
def beam_by_hand(axes: Axes) -> None:
    """The worked example: a beam of two, and greedy search's path."""
    steps = traced(Table(), 2)
    (hypothesis,) = greedy(Table(), 1)
    path = (*hypothesis.words, "</s>")

    def label(candidate: Candidate) -> str:
        mark = " (greedy)" if candidate.words == path[: len(candidate.words)] else ""
        return f"{candidate.words[-1]}{mark}\n{math.exp(candidate.log_prob):.3f}"

    draw_tree(axes, steps, label, 2.6, 0.84)


def beam_tree() -> Figure:
    """A search of the recorded model: what stayed in the beam, and the best of what was pruned."""
    record = recorded(CHAPTER)["tree"]
    steps = [[Candidate(tuple(words.split()), log_prob, survived) for words, log_prob, survived in step]
             for step in record["steps"]]  # fmt: skip
    columns = []
    for step in steps:
        kept, pruned = ([candidate for candidate in step if candidate.kept == stayed] for stayed in (True, False))
        if kept:
            shown = kept + pruned[: 2 if len(kept) > 1 else 1]
            columns.append(sorted(shown, key=lambda candidate: -candidate.log_prob))
    figure, axes = canvas(1.3 + 1.95 * len(columns), 5 * 0.78, 0.72)
    draw_tree(axes, columns, lambda candidate: f"{candidate.words[-1]}\n{candidate.log_prob:.2f}", 1.95, 0.78)
    return figure


@drawing(8.4, 2.9, columns=3)
def scores_by_length(*panels: Axes) -> None:
    """The best translation of each length: by log P, by its mean, and with the prior."""
    record = recorded(CHAPTER)["by_length"]
    source = len(record["source"].split())
    lengths, log_probs, _ = zip(*record["best"], strict=True)
    titles = {"none": "log P(E | F)", "normalise": "log P(E | F) per prediction", "prior": "log P(E | F) + log prior"}
    for axes, (kind, title) in zip(panels, titles.items(), strict=True):
        score = length_score(kind, source, namespace("07", 2)["prior"])
        values = [score(log_prob, words) for words, log_prob in zip(lengths, log_probs, strict=True)]
        points = [(words, value) for words, value in zip(lengths, values, strict=True) if math.isfinite(value)]
        best = max(points, key=lambda point: point[1])
        axes.plot(*zip(*points, strict=True), "o-", color=BLUE, markersize=4)
        axes.plot(*best, "o", color=ORANGE, markersize=9)
        note(axes, f"{best[0]} words", best, (0, 8), color=ORANGE)
        axes.set(xlabel="words", title=title, xlim=(-0.8, max(lengths) + 0.8), xticks=range(0, max(lengths) + 1, 2))
        axes.margins(y=0.25)
    panels[0].set_ylabel("nats")


@drawing(7.2, 3.2)
def mean_of_models(axes: Axes) -> None:
    """The first word by three models, the mean of their probabilities, and that of their logarithms."""
    record = recorded(CHAPTER)["opinions"]
    names = [*(f"seed {n}" for n in range(1, len(record["members"]) + 1)), "mean of P", "mean of log P"]
    places = np.arange(len(record["words"]))
    colours = [INK, INK, INK, BLUE, ORANGE]
    rows = [*record["members"], record["mean"], record["of_logs"]]
    for number, (name, row, colour) in enumerate(zip(names, rows, colours, strict=True)):
        fade = 0.35 + 0.25 * number if number < 3 else 1
        axes.bar(places + 0.16 * (number - 2), row, 0.15, color=colour, alpha=fade, label=name)
    axes.set_xticks(places, record["words"])
    axes.set(ylabel="P(first word)")
    axes.legend(fontsize=9)


@drawing(8.4, 3.4)
def bleu_matches(axes: Axes) -> None:
    """The n-grams of one translation, order by order: those that the reference holds, and those that it does not."""
    lesson = namespace("07")
    reference, words, ngrams = lesson["reference"], lesson["found"], lesson["ngrams"]
    for place, (word, other) in enumerate(zip([*words, ""], reference, strict=False)):
        centred(axes, place, 1.75, other, fontsize=9, color=INK)
        centred(axes, place, 0.9, word, fontsize=9, color=BLUE)
    for order, matched_of, all_of in zip(lesson["orders"], lesson["matched"], lesson["total"], strict=True):
        left = ngrams(reference, order)
        for first in range(len(words) - order + 1):
            gram = tuple(words[first : first + order])
            matched = left[gram] > 0
            left[gram] -= 1
            y = -0.1 - 0.55 * (order - 1) - (0.16 * (first % order) if order > 1 else 0)
            colour, width, line = (GREEN, 4, "-") if matched else (INK, 1.2, ":")
            ends = [first - 0.35, first + order - 0.65]
            axes.plot(ends, [y, y], color=colour, linewidth=width, linestyle=line, solid_capstyle="butt")
        axes.text(-0.7, -0.15 - 0.55 * (order - 1) - 0.08 * (order - 1), f"n = {order}:  {matched_of} / {all_of}",
                  ha="right", va="center", fontsize=9)  # fmt: skip
    axes.text(-0.7, 1.75, "reference", ha="right", va="center", fontsize=9)
    axes.text(-0.7, 0.9, "found", ha="right", va="center", fontsize=9, color=BLUE)
    axes.set(xlim=(-2.2, len(reference) - 0.4), ylim=(-2.6, 2.1))
    axes.axis("off")


def curve(kind: str, number: str) -> tuple[list[int], np.ndarray]:
    """The beams, and a number of each seed at each beam, (seeds, beams); greedy search is a beam of one."""
    every = recorded(CHAPTER)["scores"]
    beams = sorted({int(name.split()[0]) for name in every[0] if name[0].isdigit()})
    rows = [[run[f"{beam} {kind if beam > 1 else 'none'}"][number] for beam in beams] for run in every]
    return beams, np.array(rows)


@drawing(8.4, 3.2, columns=2)
def length_ratio_by_beam(*panels: Axes) -> None:
    """Length and BLEU of what is found, by the size of the beam, a line a score: means and single seeds."""
    for axes, number in zip(panels, ("words", "bleu"), strict=True):
        for kind, colour in (("none", RED), ("normalise", BLUE), ("prior", PURPLE)):
            beams, rows = curve(kind, number)
            places = range(len(beams))
            for row in rows:
                axes.plot(places, row, color=colour, alpha=0.25, linewidth=0.8)
            axes.plot(places, rows.mean(axis=0).round(6), "o-", color=colour, label=f"--length {kind}", markersize=4)
        axes.set_xticks(places, [str(beam) for beam in beams])
        axes.set_xlabel("beam")
    panels[0].axhline(1, color=INK, linestyle=":", linewidth=1)
    panels[0].set_title("words, as a share of the references'")
    panels[1].set_title("BLEU")
    panels[0].legend(fontsize=9, loc="lower left")


@drawing(6, 3)
def bleu_by_source_length(axes: Axes) -> None:
    """BLEU of greedy search for sources of like length, a point a seed."""
    every = [run["by_source"] for run in recorded(CHAPTER)["scores"]]
    names = list(every[0])
    for row in every:
        axes.plot(range(len(names)), [row[name][1] for name in names], "o", color=BLUE, alpha=0.5, markersize=5)
    means = [float(np.mean([row[name][1] for row in every])) for name in names]
    axes.plot(range(len(names)), np.round(means, 6), color=BLUE)
    axes.set_xticks(range(len(names)), [f"{name}\n({every[0][name][0]})" for name in names])
    axes.set(xlabel="words of the source (sentences)", ylabel="BLEU", ylim=(0, None))
