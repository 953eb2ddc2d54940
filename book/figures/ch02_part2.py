"""The figures of parts 2 and 3 of chapter 2: margin losses, what they learn of a share, the loss along lines."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes

from book.figures.ch02 import SHOWN
from book.figures.plots import drawing, note
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED
from book.lessons.cells import namespace
from chapters.loglinear_lm import margin

COLOURS = {"likelihood": BLUE, "margin": ORANGE, "perceptron": GREEN}
NAMES = {"likelihood": "log loss", "margin": "margin", "perceptron": "perceptron"}
SHARES = (0.6, 0.9)
"""How often the first of two words comes, in two histories."""


def expected(share: float, lead: float, loss: str) -> float:
    """The mean loss per prediction where the first word comes with this share and leads by so much."""

    def of(ahead: float) -> float:
        if loss == "likelihood":
            return math.log1p(math.exp(-ahead))
        return float(margin.hinge(np.array([[ahead, 0.0]]), np.array([0]), margin.LOSSES[loss].margin)[0][0])

    return share * of(lead) + (1 - share) * of(-lead)


def best_lead(share: float, loss: str) -> float:
    """The lead with the smallest mean loss, in steps of a thousandth."""
    leads = np.arange(-500, 4001) / 1000
    return float(leads[int(np.argmin([expected(share, lead, loss) for lead in leads]))])


@drawing(6.2, 3)
def losses_by_lead(axes: Axes) -> None:
    """The three losses of a word by its lead over its only rival."""
    leads = np.linspace(-3, 3, 241)
    for name, colour in COLOURS.items():
        axes.plot(leads, [expected(1.0, lead, name) for lead in leads], color=colour, label=NAMES[name])
    axes.axvline(0, color=INK, linewidth=0.8, linestyle="--")
    axes.set(xlabel="lead of the right word over its rival", ylabel="loss")
    axes.legend()


@drawing(7.4, 2.6, columns=2, sharey=True)
def two_gradients(*panels: Axes) -> None:
    """The gradient of the scores after *the girl*, where *feeds* came, under two losses."""
    for axes, name, title in zip(panels, ("log_gradient", "margin_gradient"), ("log loss", "margin loss"), strict=True):
        values = namespace("02", 2)[name]
        axes.bar(range(len(values)), values, color=[RED if slope > 0 else GREEN for slope in values])
        for place, value in enumerate(values):
            label = f"{value:.2f}".replace("-", "−")
            note(axes, label, (place, max(value, 0)))
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.set_xticks(range(len(values)), SHOWN)
        axes.set(title=title, ylim=(-1.15, 1.3))
    panels[0].set(ylabel="gradient of the loss")


@drawing(7.8, 3, columns=2, sharey=True)
def what_losses_learn(*panels: Axes) -> None:
    """The mean loss by the lead, for a word that comes in 60% and one that comes in 90% of the cases."""
    leads = np.linspace(-1, 4, 201)
    for axes, share in zip(panels, SHARES, strict=True):
        for name, colour in COLOURS.items():
            axes.plot(leads, [expected(share, lead, name) for lead in leads], color=colour, label=NAMES[name])
            best = best_lead(share, name)
            axes.plot(best, expected(share, best, name), "o", color=colour)
        axes.set(title=f"the word comes in {share:.0%} of the cases", xlabel="its lead over the other word")
    panels[0].set(ylabel="mean loss")
    panels[0].legend()


@drawing(6.4, 1.9)
def two_sentences(axes: Axes) -> None:
    """The scores of two sentences, step by step."""
    sentences = namespace("02", 2)["sentences"]
    for place, (sentence, scores) in enumerate(sentences.items()):
        start = 0.0
        for value, word, colour in zip(scores, sentence.split()[2:], (BLUE, PURPLE), strict=True):
            axes.barh(place, value, left=start, color=colour)
            label = f"{'“.”' if word == '.' else word} {value:.1f}"
            axes.annotate(label, (start + value / 2, place), ha="center", va="center", color="white", fontsize=9)
            start += value
        note(axes, f"{start:.1f}", (start, place), (4, 0), va="center", ha="left")
    axes.set_yticks(range(len(sentences)), list(sentences))
    axes.invert_yaxis()
    axes.set(xlabel="score of the sentence", xlim=(0, 6))


LINES = {
    "giggles up, full stop down": ((1, 0, 0, -1), BLUE, "-"),
    "ponies up": ((0, 0, 1, 0), ORANGE, "--"),
    "feeds, the right word, up": ((0, 1, 0, 0), GREEN, ":"),
}
"""Directions in which the four scores move, by what they do; their colours and dashes."""


@drawing(6.2, 3.2)
def loss_along_lines(axes: Axes) -> None:
    """The loss of the example along three lines through the scores of the lesson."""
    part = namespace("02", 3)
    distances = np.linspace(-4, 4, 81)
    for label, (direction, colour, dashes) in LINES.items():
        losses = [part["loss"](part["s"] + tau * np.array(direction)) for tau in distances]
        axes.plot(distances, losses, dashes, color=colour, label=label, linewidth=1.8)
    here = part["loss"](part["s"])
    axes.plot(0, here, "o", color=INK, zorder=3)
    note(axes, f"{here:.3f}", (0, here), (0, 14))
    axes.set(xlabel="τ, how far the scores have moved", ylabel="loss, nats", ylim=(0, 5))
    axes.legend(loc="upper center", fontsize=9)
