"""The figures of chapter 6: diagrams, the worked example, and what was recorded of trained models."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from book.figures.diagrams import arrow, box, centred, diagram, frames, node
from book.figures.plots import bars, drawing, grouped, note
from book.figures.recorded import recorded
from book.figures.style import ATTENTION, BLUE, GREEN, INK, ORANGE, PURPLE, RED
from book.lessons.cells import namespace

CHAPTER = "06_attentive_lm"
FORBIDDEN = ListedColormap(["none", INK])
COLOURS = {"none": ORANGE, "single": PURPLE, "combined": BLUE, "oracle": GREEN}
LABELS = {
    "local": "local order", "selection": "selection", "agreement": "agreement",
    "topic": "topic", "name": "a new name", "recall": "a name that\ncomes back",
}  # fmt: skip


@diagram(11.6, 6.2)
def memory_and_query(axes: Axes) -> None:
    """One step of attention: memory, query, scores, weights, context, merge, prediction."""
    words = {"<s>": "1", "orlek": "2", "...": "i", "floran": "10", "brings": "11"}
    places = [1.1, 2.8, 4.5, 6.2, 8.6]
    for number, ((word, step), x) in enumerate(zip(words.items(), places, strict=True), start=1):
        query = number == len(words)
        centred(axes, x, 0.3, word, style="italic")
        box(axes, x, 1.5, f"$h_{{{step}}}$", colour=ORANGE if query else BLUE, size=10)
        arrow(axes, (x, 0.55), (x, 1.15))
        if number > 1:
            arrow(axes, (places[number - 2] + 0.65, 1.5), (x - 0.65, 1.5))
        if not query:
            node(axes, x, 3.4, f"$a_{{{step}}}$", colour=GREEN, size=10)
            arrow(axes, (x, 1.85), (x, 3.05))
            arrow(axes, (x + 0.5, 2.35), (x + 0.18, 3.07), colour=ORANGE, dashed=True)
            arrow(axes, (x, 3.75), (4.5 + (x - 4.5) * 0.12, 4.6), colour=GREEN)
    right = places[-1] - 0.2
    axes.plot([places[0] + 0.5, right, right], [2.35, 2.35, 1.85], "--", color=ORANGE, linewidth=1.1)
    axes.text(0.15, 3.4, "weights", rotation=90, va="center", color=GREEN)
    axes.text(0.15, 1.5, "memory", rotation=90, va="center", color=BLUE)
    axes.text(places[-1] + 0.75, 1.5, "query", va="center", color=ORANGE)
    box(axes, 4.5, 4.95, "$c_{11}$  context", width=2.2, colour=GREEN, size=10)
    box(axes, 8.8, 4.95, "$h'_{11} = \\tanh(W_c\\,[h_{11}; c_{11}] + b_c)$", width=4.6, size=10)
    arrow(axes, (5.6, 4.95), (6.5, 4.95), colour=GREEN)
    arrow(axes, (places[-1] + 0.2, 1.85), (8.8, 4.6), colour=ORANGE)
    centred(axes, 8.8, 5.9, "softmax: the next word, orlek?")
    arrow(axes, (8.8, 5.25), (8.8, 5.7))


@drawing(8.5, 2.6, columns=3, sharey=True)
def weights_by_hand(*panels: Axes) -> None:
    """The worked example: the same memory, one score that knows no query, and two queries."""
    lesson = namespace("06")
    cases = {"single score": "weights", "combined, after “floran brings”": "after_floran",
             "combined, after “orlek brings”": "after_orlek"}  # fmt: skip
    for axes, (title, name) in zip(panels, cases.items(), strict=True):
        weights = np.round(lesson[name], 4)
        colours = [BLUE if height == weights.max() else INK for height in weights]
        bars(axes, lesson["words"], weights, colours, ".3f")
        axes.set(title=title, ylim=(0, 0.75))
    panels[0].set(ylabel="attention weight")


@drawing(8.5, 2.9, columns=2, sharey=True)
def query_moves_along_tanh(*panels: Axes) -> None:
    """Where the two numbers of each state enter tanh, for the query after *floran brings*."""
    line = np.linspace(-3.2, 3.2, 200)
    lesson = namespace("06")
    shift = 2 * lesson["floran_brings"]
    for unit, axes in enumerate(panels):
        axes.plot(line, np.tanh(line), color=INK, linewidth=1)
        entries = lesson["h"][:, unit] + shift[unit]
        for word, x, colour, low in zip(lesson["words"], entries, (BLUE, GREEN, ORANGE), (6, -12, -4), strict=True):
            axes.plot(x, np.tanh(x), "o", color=colour)
            note(axes, word, (x, np.tanh(x)), (5, low), color=colour, ha="left")
        axes.axvline(shift[unit], color=INK, linestyle=":", linewidth=1)
        axes.set(title=f"unit {unit + 1}: the query adds {shift[unit]:.1f}", xlabel="what enters the tanh of the unit")
    panels[0].set(ylabel="tanh", xlim=(-3.2, 3.6), ylim=(-1.1, 1.25))
    panels[1].set(xlim=(-3.2, 3.6))


@drawing(4.4, 2.6)
def causal_mask(axes: Axes) -> None:
    """All steps of a sentence at once: which step may attend to which."""
    words = ["<s>", *"mira reads the letter .".split()]
    forbidden = np.triu(np.ones((len(words), len(words))))
    axes.imshow(forbidden, cmap=FORBIDDEN, vmin=0, vmax=1, aspect="auto")
    for (row, column), outside in np.ndenumerate(forbidden):
        text, colour = ("$-10^9$", "white") if outside else ("score", BLUE)
        centred(axes, column, row, text, fontsize=9, color=colour)
    axes.set_xticks(range(len(words)), words)
    axes.set_yticks(range(len(words)), [f"step {number}" for number in range(1, len(words) + 1)])
    axes.set(xlabel="memory: the state after ...")
    axes.tick_params(length=0)


def heat(axes: Axes, weights: np.ndarray, read: list[str], predicted: list[str]) -> None:
    """Weights, a row for each predicted word: darker is more attention; the future is blue."""
    past_weights = np.ma.masked_where(np.triu(np.ones_like(weights)) > 0, weights)
    axes.imshow(past_weights, cmap=ATTENTION, vmin=0, vmax=1)
    axes.set_xticks(range(len(read)), read, rotation=90, fontsize=9)
    axes.set_yticks(range(len(predicted)), predicted, fontsize=9)


@drawing(8.6, 4.4, columns=2, sharey=True)
def attention_over_the_past(*panels: Axes) -> None:
    """One sentence, the weights of a trained model with either score."""
    record = recorded(CHAPTER)
    sentence = record["sentence"]
    first, second = (place for place, word in enumerate(sentence) if word == "orlek")
    for axes, score in zip(panels, ("single", "combined"), strict=True):
        weights = np.array(record["attention"][score])
        heat(axes, weights, ["<s>", *sentence], [*sentence, "</s>"])
        frames(axes, [(first + 1, second)], ORANGE)
        text = f"{weights[second, first + 1]:.2f} on the first orlek,\nto predict it again"
        axes.annotate(text, (first + 1.5, second),
                      (len(sentence), 2), ha="right", va="center", color=ORANGE, fontsize=9,
                      arrowprops={"arrowstyle": "-", "color": ORANGE})  # fmt: skip
        axes.set(title=f"{score} score", xlabel="state after reading ...")
    panels[0].set(ylabel="when predicting ...")


@drawing(7.5, 2.6)
def where_the_weight_goes(axes: Axes) -> None:
    """Mean weight on kinds of memory, where a name comes back and elsewhere."""
    shares = recorded(CHAPTER)["attended"]
    kinds = {"the name itself": BLUE, "a name": PURPLE, "other words": ORANGE, "<s>": INK}
    rows = [(score, case) for case in ("recall", "other") for score in ("combined", "single")]
    left = np.zeros(len(rows))
    for kind, colour in kinds.items():
        widths = np.array([shares[score][case].get(kind, 0.0) for score, case in rows])
        axes.barh(range(len(rows)), widths, left=left, color=colour, label={"a name": "other names"}.get(kind, kind))
        for place, (start, width) in enumerate(zip(left, widths, strict=True)):
            if width > 0.06:
                centred(axes, start + width / 2, place, f"{width:.0%}", color="white", fontsize=9)
        left += widths
    cases = {"recall": "a name comes back", "other": "any other word"}
    axes.set_yticks(range(len(rows)), [f"{cases[case]}, {score}" for score, case in rows])
    axes.invert_yaxis()
    axes.set(xlabel="mean attention weight", xlim=(0, 1))
    axes.legend(ncols=4, loc="upper center", bbox_to_anchor=(0.4, 1.22), fontsize=9)


@drawing(6.5, 3.0)
def recall_by_distance(axes: Axes) -> None:
    """What a returning name costs, by how many words ago it stood."""
    bins = recorded(CHAPTER)["distances"]
    places = range(len(bins))
    for score in ("none", "single", "combined", "oracle"):
        runs = np.array([bucket[score] for bucket in bins])
        axes.plot(places, runs.mean(axis=1), "o-", color=COLOURS[score], label=score, markersize=4)
        if runs.shape[1] > 1:
            axes.fill_between(places, runs.min(axis=1), runs.max(axis=1), color=COLOURS[score], alpha=0.2, linewidth=0)
    labels = [f"{bucket['from']} to {bucket['to']}" for bucket in bins[:-1]] + [f"{bins[-1]['from']} or more"]
    axes.set_xticks(places, [f"{label}\n({bucket['returns']})" for label, bucket in zip(labels, bins, strict=True)])
    axes.set(
        xlabel="words since the name stood last (how often in test)", ylabel="mean surprise, nats", ylim=(-0.1, None)
    )
    axes.legend()


@drawing(6.5, 3.0)
def recall_by_epoch(axes: Axes) -> None:
    """What a returning name costs after each epoch, without attention and with it, each in its best recipe."""
    for score in ("none", "combined"):
        runs = recorded(CHAPTER, f"figures/epochs_{score}.json")["runs"]
        costs = np.array([[epoch["test"]["recall"] for epoch in run["epochs"]] for run in runs])
        epochs = range(1, costs.shape[1] + 1)
        axes.plot(epochs, costs.mean(axis=0), color=COLOURS[score], label=score)
        axes.fill_between(epochs, costs.min(axis=0), costs.max(axis=0), color=COLOURS[score], alpha=0.2, linewidth=0)
    axes.set(yscale="log", xlabel="epoch", ylabel="perplexity of\nnames that come back")
    axes.set_yticks([2, 5, 10, 50, 100, 200], ["2", "5", "10", "50", "100", "200"])
    axes.minorticks_off()
    axes.legend()


def beyond_oracle(phenomena: dict, system: str) -> list[float]:
    """What a prediction costs a system more than the oracle, in nats, by LABELS: means over its runs."""
    return [np.mean(np.log(phenomena[label][system])) - np.log(phenomena[label]["oracle"]) for label in LABELS]


@drawing(8.5, 3.0)
def gains_by_phenomenon(axes: Axes) -> None:
    """Nats beyond the oracle for each prediction, by what decides the word."""
    phenomena = recorded(CHAPTER)["phenomena"]
    rows = {score: (beyond_oracle(phenomena, score), COLOURS[score]) for score in ("none", "single", "combined")}
    for group in grouped(axes, LABELS.values(), rows, 0.27, 0.25):
        axes.bar_label(group, fmt="%.2f", fontsize=9, padding=2)
    axes.set(ylabel="nats beyond the oracle")
    axes.legend()


@drawing(7.5, 2.6, columns=2)
def slope_of_a_score(left: Axes, right: Axes) -> None:
    """The worked gradient: what one update wants of each score."""
    lesson = namespace("06")
    use, slopes, mean = lesson["h"] @ lesson["g"], np.round(lesson["slopes"], 4), round(float(lesson["mixture"]), 4)
    left.bar(lesson["words"], use, color=[GREEN if value < mean else RED for value in use])
    left.axhline(mean, color=INK, linestyle="--", linewidth=1)
    note(left, "weighted mean", (2.45, mean), ha="right", fontsize=9)
    left.set(title=r"$g \cdot h_i$: what more of this state does to the loss", ylabel="change of the loss")
    right.bar(lesson["words"], -slopes, color=[GREEN if slope < 0 else RED for slope in slopes])
    right.axhline(0, color=INK, linewidth=0.8)
    right.set(title="so gradient descent moves its score by", ylabel="minus its gradient")
