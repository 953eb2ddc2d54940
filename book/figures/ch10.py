"""The figures of chapter 10; those that show trained models draw what `ch10_record` has recorded."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from book.figures.diagrams import arrow, box, diagram
from book.figures.plots import drawing, grouped, note
from book.figures.recorded import recorded
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED
from book.lessons.cells import namespace
from chapters.beyond import mixing, objectives, rewards as scores

CHAPTER = "10_beyond"
COLOURS = (BLUE, ORANGE, GREEN)
NAMES = {
    "likelihood": "likelihood",
    "scheduled": "scheduled sampling",
    "risk": "minimum risk",
    "reinforce": "REINFORCE",
}
SHOWN = 10
"""Positions of a sentence that the figures of exposure show."""


@diagram(12, 5.2, inches=0.55)
def whose_words(axes: Axes) -> None:
    """The decoder in training and in translation."""
    rows = (
        ("training", 3.9, ["<s>", "cestolan", "droduregai", "na"], ["petedan", "droduregai", "na", "trasku"], BLUE),
        ("translating", 1.3, ["<s>", "petedan", "petedan", "ka"], ["petedan", "petedan", "ka", "ka"], ORANGE),
    )
    for name, y, read, written, colour in rows:
        axes.text(0.1, y, name, ha="left", va="center", fontsize=10)
        for t in range(4):
            x = 3.2 + 2.4 * t
            box(axes, x, y, "decoder", width=1.6, colour=INK)
            axes.text(x, y - 0.95, read[t], ha="center", fontsize=9, color=colour)
            axes.text(x, y + 0.85, written[t], ha="center", fontsize=9)
            arrow(axes, (x, y - 0.7), (x, y - 0.32), colour=colour)
            arrow(axes, (x, y + 0.32), (x, y + 0.75))
            if t < 3:
                arrow(axes, (x + 0.8, y), (x + 1.6, y))
            if t < 3 and name == "translating":
                arrow(axes, (x + 0.75, y + 0.85), (x + 1.75, y - 0.85), colour=colour, dashed=True, bend=-0.2)


@drawing(5, 3)
def errors_multiply(axes: Axes) -> None:
    """Whole prefixes that are still right, by length, for three rates of error."""
    for right, colour in zip((0.99, 0.98, 0.95), COLOURS, strict=True):
        still_right = right ** np.arange(13)
        axes.plot(range(13), still_right, "o-", ms=3, color=colour)
        end, style = (12, still_right[-1]), {"color": colour, "fontsize": 9, "annotation_clip": False, "ha": "left"}
        note(axes, f"{right:.0%} of the words", end, (6, -3), **style)
    axes.set(xlabel="words written", ylabel="translations without an error", ylim=(0, 1.03))


@drawing(8, 3, columns=2)
def exposure_measured(left: Axes, right: Axes) -> None:
    """Errors by position after the reference's words, own words drawn, and own words searched greedily."""
    exposure = recorded(CHAPTER)["exposure"]
    labels = {"reference": "the reference's words", "sampled": "own words, drawn", "greedy": "own words, greedy"}
    for (name, label), colour in zip(labels.items(), COLOURS, strict=True):
        possible, wrong = (np.array(exposure[name][key])[:SHOWN] for key in ("possible", "wrong"))
        positions = np.arange(1, len(possible) + 1)
        left.plot(positions, 100 * wrong / np.maximum(possible, 1), "o-", ms=3, color=colour, label=label)
        right.plot(positions, possible, "o-", ms=3, color=colour, label=label)
    left.set(xlabel="position", ylabel="impossible next words, %", ylim=(0, 1.4 * left.dataLim.ymax))
    right.set(xlabel="position", ylabel="sentences still possible", ylim=(0, None))
    left.legend(fontsize=9, loc="upper right")


@drawing(5, 3)
def schedules(axes: Axes, share: float = 0.9) -> None:
    """Four ways to hand over from the reference's words to the model's. share: of the model's words at the end."""
    progress = np.linspace(0, 1, 101)
    colours = (BLUE, ORANGE, GREEN, PURPLE)
    for (name, function), colour in zip(objectives.MIXINGS.items(), colours, strict=True):
        shares = [getattr(mixing, function)(share, moment) for moment in progress]
        axes.plot(progress, np.round(shares, 4), color=colour, label=name)
    axes.set(xlabel="$q$, the share of training that is over", ylabel="words of the reference", ylim=(0, 1.03))
    axes.legend(fontsize=9)


@drawing(5.5, 3)
def sentence_bleu(axes: Axes) -> None:
    """BLEU of the first words of the reference, and of the reference with one wrong word at each place."""
    reference, bleu = namespace("10")["reference"], scores.sentence_bleu
    places = np.arange(1, len(reference) + 1)
    cut = [bleu(reference[:n], reference) for n in places]
    wrong = [bleu([*reference[: n - 1], "hen", *reference[n:]], reference) for n in places]
    axes.plot(places, np.round(cut, 4), "o-", color=BLUE, label="only the first n words")
    axes.plot(places, np.round(wrong, 4), "s--", color=ORANGE, label="word n replaced")
    axes.set(xlabel="n", ylabel="BLEU of the sentence", ylim=(0, 1.03))
    axes.legend(fontsize=9, loc="lower right")


@drawing(5.5, 3)
def gumbel(axes: Axes) -> None:
    """Log-probabilities of three words with their noise; the largest sum is drawn."""
    p = namespace("10")["p"]
    logs, noise = np.round(np.log(p), 4), np.round(namespace("10")["g"], 4)
    rows = {"ln p": (logs, BLUE), "Gumbel noise": (noise, ORANGE), "their sum": (logs + noise, GREEN)}
    grouped(axes, [f"word {n}, p = {value:g}" for n, value in enumerate(p, start=1)], rows, 0.25, 0.22)
    axes.axhline(0, color=INK, lw=0.8)
    axes.legend(fontsize=9)


@drawing(8, 3, columns=2)
def renormalised(left: Axes, right: Axes) -> None:
    """Q of the three candidates by alpha, and the risk."""
    alphas = np.linspace(0, 3, 31)
    lesson = namespace("10")
    powers = lesson["P"] ** alphas[:, None]
    rows = np.round(powers / powers.sum(axis=1, keepdims=True), 4)
    for name, row, colour in zip(lesson["names"], rows.T, (GREEN, ORANGE, BLUE), strict=True):
        left.plot(alphas, row, color=colour, label=name)
    left.set(xlabel="α", ylabel="Q", ylim=(0, 1))
    left.legend(fontsize=9)
    right.plot(alphas, np.round(rows @ lesson["cost"], 4), color=PURPLE)
    right.set(xlabel="α", ylabel="risk", ylim=(0, 0.25))


@drawing(6, 3)
def where_risk_pushes(axes: Axes) -> None:
    """Gradients of the loss by the log-probabilities: likelihood, risk, REINFORCE."""
    lesson = namespace("10")
    risk, policy = lesson["gradient"], (lesson["cost"] - lesson["others"]) / 3
    rows = {"likelihood, a tenth": (np.array([0.1, 0, 0]), BLUE), "risk, α = 1": (np.round(-risk, 4), GREEN),
            "REINFORCE": (np.round(-policy, 4), ORANGE)}  # fmt: skip
    grouped(axes, lesson["names"], rows, 0.25, 0.22)
    axes.axhline(0, color=INK, lw=0.8)
    axes.set(ylabel="ln P is pushed up")
    axes.legend(fontsize=9)


@drawing(5.5, 3)
def spread_of_estimates(axes: Axes) -> None:
    """Standard deviation of REINFORCE's estimate of one slope, where all costs are raised together."""
    levels = np.linspace(0, 0.6, 7)
    for (name, baseline), colour in zip(objectives.BASELINES.items(), (GREEN, RED), strict=True):
        rows = [np.std(estimates(baseline, 4, level)) for level in levels]
        label = "mean of the others" if name == "others" else "no baseline"
        axes.plot(levels, np.round(rows, 4), "o-", color=colour, label=label)
    axes.set(xlabel="added to all three costs", ylabel="standard deviation", ylim=(0, None))
    axes.legend(fontsize=9)


def estimates(baseline, samples: int, level: float = 0.0, draws: int = 4000) -> np.ndarray:
    """Estimates of the expected cost's slope by the first candidate's score, where the three are all sentences.

    level: added to the cost of each of them.
    """
    lesson, rng = namespace("10"), np.random.default_rng(1)
    shares = lesson["Q"]
    indices = rng.choice(3, size=(draws, samples), p=shares)
    advantages = baseline(lesson["cost"][indices] + level)
    return (advantages * ((indices == 0) - shares[0])).mean(axis=1)


@drawing(8, 3, columns=2, sharey=True)
def what_was_gained(left: Axes, right: Axes) -> None:
    """BLEU and perplexity of test, the difference to before, by objective and seed."""
    for axes, kind in ((left, "bleu"), (right, "perplexity")):
        for row, objective in enumerate(NAMES):
            runs = namespace("10")["trained"][objective]
            gains = [run["after"][kind] - run["before"][kind] for run in runs]
            axes.plot(gains, [row] * len(gains), "o", color=BLUE, mfc="none")
            axes.plot([float(np.round(np.mean(gains), 4))], [row], "|", color=ORANGE, ms=16, mew=2)
        axes.axvline(0, color=INK, lw=0.8)
    left.set_yticks(range(len(NAMES)), list(NAMES.values()))
    left.set(xlabel="BLEU, more is better", ylim=(len(NAMES) - 0.5, -0.5))
    right.set(xlabel="perplexity, less is better")
