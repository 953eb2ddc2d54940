"""The figures of part 2 of chapter 2: margin losses, their gradients, and what they learn of a share."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from book.figures.plots import note
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED
from book.worked import ch02_part2 as worked
from common.plots.plotting import plt

COLOURS = {"likelihood": BLUE, "margin": ORANGE, "perceptron": GREEN}
NAMES = {"likelihood": "log loss", "margin": "margin", "perceptron": "perceptron"}
LABELS = [f"“{word}”" if word == "." else word for word in worked.WORDS]


def losses_by_lead() -> Figure:
    """The three losses of a word by its lead over its only rival."""
    leads = np.linspace(-3, 3, 241)
    figure, axes = plt.subplots(figsize=(6.2, 3))
    for name, colour in COLOURS.items():
        axes.plot(leads, [worked.expected(1.0, lead, name) for lead in leads], color=colour, label=NAMES[name])
    axes.axvline(0, color=INK, linewidth=0.8, linestyle="--")
    axes.set(xlabel="lead of the right word over its rival", ylabel="loss")
    axes.legend()
    return figure


def two_gradients() -> Figure:
    """The gradient of the scores after *the girl*, where *feeds* came, under two losses."""
    figure, panels = plt.subplots(1, 2, figsize=(7.4, 2.6), sharey=True)
    for axes, margin, title in zip(panels, (None, 1.0), ("log loss", "margin loss"), strict=True):
        values = worked.gradient(margin)[1]
        axes.bar(range(len(values)), values, color=[RED if slope > 0 else GREEN for slope in values])
        for place, value in enumerate(values):
            label = f"{value:.2f}".replace("-", "−")
            note(axes, label, (place, max(value, 0)))
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.set_xticks(range(len(values)), LABELS)
        axes.set(title=title, ylim=(-1.15, 1.3))
    panels[0].set(ylabel="gradient of the score")
    return figure


def what_losses_learn() -> Figure:
    """The mean loss by the lead, for a word that comes in 60% and one that comes in 90% of the cases."""
    leads = np.linspace(-1, 4, 201)
    figure, panels = plt.subplots(1, 2, figsize=(7.8, 3), sharey=True)
    for axes, share in zip(panels, worked.SHARES, strict=True):
        for name, colour in COLOURS.items():
            axes.plot(leads, [worked.expected(share, lead, name) for lead in leads], color=colour, label=NAMES[name])
            best = worked.best_lead(share, name)
            axes.plot(best, worked.expected(share, best, name), "o", color=colour)
        axes.set(title=f"the word comes in {share:.0%} of the cases", xlabel="its lead over the other word")
    panels[0].set(ylabel="mean loss")
    panels[0].legend()
    return figure


def two_sentences() -> Figure:
    """The scores of two sentences, step by step."""
    figure, axes = plt.subplots(figsize=(6.4, 1.9))
    for place, sentence in enumerate(worked.SENTENCES):
        start = 0.0
        words = [word for _, word in worked.SENTENCES[sentence]]
        for value, word, colour in zip(worked.steps_of(sentence), words, (BLUE, PURPLE), strict=True):
            axes.barh(place, value, left=start, color=colour)
            label = f"{'“.”' if word == '.' else word} {value:.1f}"
            axes.annotate(label, (start + value / 2, place), ha="center", va="center", color="white", fontsize=8)
            start += value
        note(axes, f"{start:.1f}", (start, place), (4, 0), va="center", ha="left")
    axes.set_yticks(range(len(worked.SENTENCES)), list(worked.SENTENCES))
    axes.invert_yaxis()
    axes.set(xlabel="score of the sentence", xlim=(0, 6))
    return figure
