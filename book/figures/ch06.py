"""The figures of chapter 6: diagrams, the worked example, and what was recorded of trained models."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.figures import ch06_part2
from book.figures.diagrams import arrow, box, canvas, node
from book.figures.recorded import recorded
from book.figures.style import ATTENTION, BLUE, GREEN, INK, ORANGE, PURPLE, RED
from book.lessons.cells import namespace
from common.plots.plotting import plt

CHAPTER = "06_attentive_lm"
COLOURS = {"none": ORANGE, "single": PURPLE, "combined": BLUE, "oracle": GREEN}
LABELS = {
    "local": "local order", "selection": "selection", "agreement": "agreement",
    "topic": "topic", "name": "a new name", "recall": "a name that\ncomes back",
}  # fmt: skip


def memory_and_query() -> Figure:
    """One step of attention: memory, query, scores, weights, context, merge, prediction."""
    figure, axes = canvas(11.6, 6.0)
    words = {"<s>": "1", "orlek": "2", "...": "i", "floran": "10", "brings": "11"}
    places = [1.1, 2.8, 4.5, 6.2, 8.6]
    for number, ((word, step), x) in enumerate(zip(words.items(), places, strict=True), start=1):
        query = number == len(words)
        axes.text(x, 0.3, word, ha="center", va="center", style="italic")
        box(axes, x, 1.5, f"$h_{{{step}}}$", colour=ORANGE if query else BLUE)
        arrow(axes, (x, 0.55), (x, 1.15))
        if number > 1:
            arrow(axes, (places[number - 2] + 0.65, 1.5), (x - 0.65, 1.5))
        if not query:
            node(axes, x, 3.2, f"$a_{{{step}}}$", colour=GREEN)
            arrow(axes, (x, 1.85), (x, 2.85))
            arrow(axes, (x, 3.55), (4.5 + (x - 4.5) * 0.12, 4.45), colour=GREEN)
    for x in places[:-1]:
        arrow(axes, (places[-1] - 0.2, 1.85), (x + 0.3, 3.05), colour=ORANGE, dashed=True, bend=0.12)
    axes.text(0.15, 3.2, "weights", rotation=90, va="center", color=GREEN)
    axes.text(0.15, 1.5, "memory", rotation=90, va="center", color=BLUE)
    axes.text(places[-1] + 0.75, 1.5, "query", va="center", color=ORANGE)
    box(axes, 4.5, 4.8, "$c_{11}$  context", width=2.2, colour=GREEN)
    box(axes, 8.6, 4.8, "$h'_{11} = \\tanh(W_c\\,[h_{11}; c_{11}] + b_c)$", width=4.2)
    arrow(axes, (5.6, 4.8), (6.5, 4.8), colour=GREEN)
    arrow(axes, (places[-1] + 0.2, 1.85), (8.8, 4.45), colour=ORANGE)
    axes.text(8.6, 5.75, "softmax: the next word, orlek?", ha="center", va="center")
    arrow(axes, (8.6, 5.1), (8.6, 5.5))
    return figure


def weights_by_hand() -> Figure:
    """The worked example: the same memory, one score that knows no query, and two queries."""
    lesson = namespace("06")
    cases = {"single score": "weights", "combined, after “floran brings”": "after_floran",
             "combined, after “orlek brings”": "after_orlek"}  # fmt: skip
    figure, panels = plt.subplots(1, 3, figsize=(8.5, 2.6), sharey=True)
    for axes, (title, name) in zip(panels, cases.items(), strict=True):
        weights = np.round(lesson[name], 4)
        axes.bar(lesson["words"], weights, color=[BLUE if one == weights.max() else INK for one in weights])
        for place, weight in enumerate(weights):
            axes.annotate(f"{weight:.3f}", (place, weight), (0, 3), textcoords="offset points", ha="center")
        axes.set(title=title, ylim=(0, 0.75))
    panels[0].set(ylabel="attention weight")
    return figure


def query_moves_along_tanh() -> Figure:
    """Where the two numbers of each state enter tanh, for the query after *floran brings*."""
    figure, panels = plt.subplots(1, 2, figsize=(8.5, 2.9), sharey=True)
    line = np.linspace(-3.2, 3.2, 200)
    lesson = namespace("06")
    shift = 2 * lesson["floran_brings"]
    for unit, axes in enumerate(panels):
        axes.plot(line, np.tanh(line), color=INK, linewidth=1)
        for word, state, colour, low in zip(
            lesson["words"], lesson["h"], (BLUE, GREEN, ORANGE), (6, -12, -4), strict=True
        ):
            x = state[unit] + shift[unit]
            axes.plot(x, np.tanh(x), "o", color=colour)
            axes.annotate(word, (x, np.tanh(x)), (5, low), textcoords="offset points", color=colour, ha="left")
        axes.axvline(shift[unit], color=INK, linestyle=":", linewidth=1)
        axes.set(title=f"unit {unit + 1}: the query adds {shift[unit]:.1f}", xlabel="what enters the tanh of the unit")
    panels[0].set(ylabel="tanh", xlim=(-3.2, 3.6), ylim=(-1.1, 1.25))
    panels[1].set(xlim=(-3.2, 3.6))
    return figure


def causal_mask() -> Figure:
    """All steps of a sentence at once: which step may attend to which."""
    words = ["<s>", *"mira reads the letter .".split()]
    figure, axes = plt.subplots(figsize=(5.0, 3.9))
    allowed = np.tril(np.ones((len(words), len(words))), k=-1)
    axes.imshow(allowed, cmap=ATTENTION, vmin=0, vmax=3)
    for row in range(len(words)):
        for column in range(len(words)):
            text = "$-10^9$" if column >= row else "score"
            axes.text(column, row, text, ha="center", va="center", fontsize=8, color=INK if column >= row else BLUE)
    axes.set_xticks(range(len(words)), words)
    axes.set_yticks(range(len(words)), [f"step {number}" for number in range(1, len(words) + 1)])
    axes.set(xlabel="memory: the state after ...")
    axes.tick_params(length=0)
    return figure


def heat(axes: Axes, weights: np.ndarray, read: list[str], predicted: list[str]) -> None:
    """Weights, a row for each predicted word: darker is more attention; the future is left empty."""
    shown = np.ma.masked_where(np.triu(np.ones_like(weights)) > 0, weights)
    axes.imshow(shown, cmap=ATTENTION, vmin=0, vmax=1)
    axes.set_xticks(range(len(read)), read, rotation=90, fontsize=8)
    axes.set_yticks(range(len(predicted)), predicted, fontsize=8)


def attention_over_the_past() -> Figure:
    """One sentence, the weights of a trained model with either score."""
    found = recorded(CHAPTER)
    sentence = found["sentence"]
    figure, panels = plt.subplots(1, 2, figsize=(9.6, 4.6), sharey=True)
    for axes, score in zip(panels, ("single", "combined"), strict=True):
        heat(axes, np.array(found["attention"][score]), ["<s>", *sentence], [*sentence, "</s>"])
        axes.set(title=f"{score} score", xlabel="state after reading ...")
    panels[0].set(ylabel="when predicting ...")
    return figure


def where_the_weight_goes() -> Figure:
    """Mean weight on kinds of memory, where a name comes back and elsewhere."""
    found = recorded(CHAPTER)["attended"]
    kinds = {"the name itself": BLUE, "a name": PURPLE, "other words": ORANGE, "<s>": INK}
    names = {"the name itself": "the name itself", "a name": "other names", "other words": "other words", "<s>": "<s>"}
    rows = [(score, case) for case in ("recall", "other") for score in ("combined", "single")]
    figure, axes = plt.subplots(figsize=(7.5, 2.6))
    left = np.zeros(len(rows))
    for kind, colour in kinds.items():
        widths = np.array([found[score][case].get(kind, 0.0) for score, case in rows])
        axes.barh(range(len(rows)), widths, left=left, color=colour, label=names[kind])
        for place, (start, width) in enumerate(zip(left, widths, strict=True)):
            if width > 0.06:
                axes.text(start + width / 2, place, f"{width:.0%}", ha="center", va="center", color="white", fontsize=8)
        left += widths
    cases = {"recall": "a name comes back", "other": "any other word"}
    axes.set_yticks(range(len(rows)), [f"{cases[case]}, {score}" for score, case in rows])
    axes.invert_yaxis()
    axes.set(xlabel="mean attention weight", xlim=(0, 1))
    axes.legend(ncols=4, loc="upper center", bbox_to_anchor=(0.4, 1.22), fontsize=8)
    return figure


def recall_by_distance() -> Figure:
    """What a returning name costs, by how many words ago it stood."""
    bins = recorded(CHAPTER)["distances"]
    figure, axes = plt.subplots(figsize=(6.5, 3.0))
    places = range(len(bins))
    for score in ("none", "single", "combined", "oracle"):
        runs = np.array([one[score] for one in bins])
        axes.plot(places, runs.mean(axis=1), "o-", color=COLOURS[score], label=score, markersize=4)
        if runs.shape[1] > 1:
            axes.fill_between(places, runs.min(axis=1), runs.max(axis=1), color=COLOURS[score], alpha=0.2, linewidth=0)
    labels = [f"{one['from']} to {one['to']}" if one is not bins[-1] else f"{one['from']} or more" for one in bins]
    axes.set_xticks(places, [f"{label}\n({one['returns']})" for label, one in zip(labels, bins, strict=True)])
    axes.set(
        xlabel="words since the name stood last (how often in test)", ylabel="mean surprise, nats", ylim=(-0.1, None)
    )
    axes.legend()
    return figure


def gains_by_phenomenon() -> Figure:
    """Nats beyond the oracle for each prediction, by what decides the word."""
    found = recorded(CHAPTER)["phenomena"]
    figure, axes = plt.subplots(figsize=(8.5, 3.0))
    for place, score in enumerate(("none", "single", "combined")):
        beyond = [np.mean(np.log(found[label][score])) - np.log(found[label]["oracle"]) for label in LABELS]
        xs = [x + 0.27 * (place - 1) for x in range(len(LABELS))]
        axes.bar(xs, beyond, width=0.25, color=COLOURS[score], label=score)
        for x, value in zip(xs, beyond, strict=True):
            axes.annotate(f"{value:.2f}", (x, value), (0, 2), textcoords="offset points", ha="center", fontsize=7)
    axes.set_xticks(range(len(LABELS)), LABELS.values())
    axes.set(ylabel="nats beyond the oracle")
    axes.legend()
    return figure


def slope_of_a_score() -> Figure:
    """The worked gradient: what one update wants of each score."""
    lesson = namespace("06")
    use, slopes, mean = lesson["h"] @ lesson["g"], np.round(lesson["slopes"], 4), round(float(lesson["mixture"]), 4)
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.5, 2.6))
    left.bar(lesson["words"], use, color=[GREEN if one < mean else RED for one in use])
    left.axhline(mean, color=INK, linestyle="--", linewidth=1)
    left.annotate("weighted mean", (2.45, mean), (0, 3), textcoords="offset points", ha="right", fontsize=8)
    left.set(title=r"$g \cdot h_i$: what more of this state does to the loss", ylabel="change of the loss")
    right.bar(lesson["words"], -slopes, color=[GREEN if one < 0 else RED for one in slopes])
    right.axhline(0, color=INK, linewidth=0.8)
    right.set(title="so gradient descent moves its score by", ylabel="minus its gradient")
    return figure


FIGURES = (
    memory_and_query, weights_by_hand, query_moves_along_tanh, slope_of_a_score, causal_mask, attention_over_the_past,
    where_the_weight_goes, recall_by_distance, gains_by_phenomenon, *ch06_part2.FIGURES,
)  # fmt: skip
