"""The figures of chapter 8: diagrams, worked examples, and what was recorded of trained models."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from book.figures.ch08_draw import CHAPTER, COLOURS, PLACE, WINDOW, bars, cells, crosses, matrix, shares, three_ways
from book.figures.diagrams import arrow, box, centred, diagram, frames, node
from book.figures.plots import drawing
from book.figures.recorded import recorded
from book.figures.style import BLUE, GREEN, INK, ORANGE, RED
from book.lessons.cells import namespace
from common.plots.plotting import plt
from common.text.vocab import UNKNOWN

PALE_GREEN, PALE_ORANGE = f"{GREEN}33", f"{ORANGE}33"


@drawing(9.2, 6.4, rows=2, columns=3, width_ratios=(1, 1, 1.7))
def one_step(*panels: Axes) -> None:
    """Scores, weights and context of the worked example, for either state of the decoder."""
    lesson = namespace("08")
    for word, (left, middle, right) in zip(("mirena", "galin"), (panels[:3], panels[3:]), strict=True):
        scores, weights, mean = (np.round(lesson[f"{word}_{name}"], 4) for name in ("scores", "weights", "context"))
        bars(left, lesson["source"], scores, COLOURS, 2)
        left.axhline(0, color=INK, linewidth=0.8)
        left.set(ylabel=f"to write {word}", ylim=(-0.65, 1.3))
        bars(middle, lesson["source"], weights, COLOURS)
        middle.set(ylim=(0, 0.8))
        shares(right, np.round(weights[:, None] * lesson["h"], 4), mean, COLOURS)
    for axes, title in zip(panels, ("scores", "weights", "the context, a sum"), strict=False):
        axes.set_title(title)


@diagram(12.4, 7.6)
def annotations_and_decoder(axes: Axes) -> None:
    """Encoder in both directions, annotations, one step of attention, and the decoder."""
    words, places = ("mirena", "greets", "galin", "."), (1.2, 3.0, 4.8, 6.6)
    for number, (word, x) in enumerate(zip(words, places, strict=True), start=1):
        centred(axes, x, 0.3, word, style="italic")
        box(axes, x - 0.1, 1.3, rf"$\overrightarrow{{h}}_{number}$", 0.9, 0.55)
        box(axes, x + 0.1, 2.2, rf"$\overleftarrow{{h}}_{number}$", 0.9, 0.55)
        arrow(axes, (x - 0.1, 0.5), (x - 0.1, 1.0))
        arrow(axes, (x + 0.42, 0.5), (x + 0.42, 1.9))
        box(axes, x, 3.4, f"$h_{number}^{{(f)}}$", 1.1, 0.6)
        arrow(axes, (x - 0.38, 1.6), (x - 0.38, 3.08))
        arrow(axes, (x + 0.1, 2.5), (x + 0.1, 3.08))
        heavy = word == "galin"  # the word that is written: most of the weight is here
        node(axes, x, 4.8, f"$a_{{2,{number}}}$", 0.4, colour=GREEN, fill=PALE_GREEN if heavy else "none")
        arrow(axes, (x, 3.72), (x, 4.38), width=2.6 if heavy else 1.0)
        arrow(axes, (x, 5.22), (3.9 + 0.25 * (x - 3.9), 6.1), colour=GREEN, width=2.6 if heavy else 1.0)
        if number > 1:
            before = places[number - 2]
            arrow(axes, (before + 0.37, 1.3), (x - 0.57, 1.3), colour=BLUE)
            arrow(axes, (x - 0.37, 2.2), (before + 0.57, 2.2), colour=BLUE)
        arrow(axes, (x + 0.75, 4.05), (x + 0.3, 4.5), colour=ORANGE)
    axes.plot([9.2, 9.2, places[0] + 0.75], [3.6, 4.05, 4.05], color=ORANGE, linewidth=1.1)
    decoder_part(axes)
    for y, text, colour in ((1.75, "encoder", BLUE), (3.4, "annotations", BLUE), (4.8, "weights", GREEN)):
        centred(axes, 0.1, y, text, rotation=90, color=colour, fontsize=9)


def decoder_part(axes: Axes) -> None:
    """The context, and the step of the decoder that asked for it."""
    box(axes, 3.9, 6.4, "$c_2$  context", 2.2, 0.6, colour=GREEN, fill=PALE_GREEN)
    box(axes, 9.6, 3.3, "$h_2^{(e)}$  query", 1.5, 0.6, colour=ORANGE, fill=PALE_ORANGE)
    box(axes, 11.6, 3.3, "$h_3^{(e)}$", 1.0, 0.6, colour=INK, dashed=True)
    arrow(axes, (8.3, 3.3), (8.85, 3.3), colour=ORANGE)
    axes.text(8.25, 3.3, "$h_1^{(e)}$", ha="right", va="center", color=ORANGE)
    arrow(axes, (10.35, 3.3), (11.1, 3.3), colour=ORANGE)
    axes.text(9.6, 1.6, "mirena", ha="center", style="italic")
    axes.text(8.5, 1.6, "$c_1$", ha="center", color=GREEN)
    arrow(axes, (9.6, 1.95), (9.6, 2.98))
    arrow(axes, (8.6, 1.95), (9.3, 2.98), colour=GREEN, dashed=True)
    box(axes, 9.6, 6.4, "softmax of $W_{hs}[h_2^{(e)}; c_2] + b_s$", 3.9, 0.6, colour=INK)
    arrow(axes, (5.0, 6.4), (7.62, 6.4), colour=GREEN)
    arrow(axes, (9.6, 3.6), (9.6, 6.08), colour=ORANGE)
    arrow(axes, (5.0, 6.2), (11.4, 3.62), colour=GREEN, dashed=True, bend=-0.1)
    centred(axes, 9.6, 7.35, "galin", style="italic")
    arrow(axes, (9.6, 6.7), (9.6, 7.15))


@diagram(13.6, 5.6, 0.62)
def three_scores(axes: Axes) -> None:
    """The scores as computation graphs, from the two vectors below to the number above."""
    pale = "#3a86d033"
    for x, name in ((1.6, "dot"), (6.0, "bilinear"), (11.0, "mlp")):
        centred(axes, x, 5.35, name, fontsize=11)
        node(axes, x, 4.5, "$s_{t,j}$", 0.38, colour=INK)
        box(axes, x - 1.0, 0.4, "$h_j$", 0.9, 0.55, colour=BLUE, fill=pale if name == "dot" else "none")
        box(axes, x + 1.0, 0.4, "$h_t$", 0.9, 0.55, colour=ORANGE)
    node(axes, 1.6, 2.4, r"$\cdot$", colour=GREEN, size=14)
    arrow(axes, (0.6, 0.68), (1.42, 2.13))
    arrow(axes, (2.6, 0.68), (1.78, 2.13))
    arrow(axes, (1.6, 2.72), (1.6, 4.1))
    box(axes, 5.0, 1.7, r"$h_j^\top W_a$", 1.3, 0.6, colour=BLUE, fill=pale)
    arrow(axes, (5.0, 0.68), (5.0, 1.38))
    node(axes, 6.0, 2.9, r"$\cdot$", colour=GREEN, size=14)
    arrow(axes, (5.2, 2.0), (5.78, 2.65))
    arrow(axes, (7.0, 0.68), (6.18, 2.62))
    arrow(axes, (6.0, 3.22), (6.0, 4.1))
    box(axes, 10.0, 1.4, "$W_s h_j$", 1.2, 0.55, colour=BLUE, fill=pale)
    box(axes, 12.0, 1.4, "$W_q h_t$", 1.2, 0.55, colour=ORANGE)
    arrow(axes, (10.0, 0.68), (10.0, 1.1))
    arrow(axes, (12.0, 0.68), (12.0, 1.1))
    node(axes, 11.0, 2.2, "+", 0.26, colour=GREEN)
    arrow(axes, (10.2, 1.7), (10.78, 2.05))
    arrow(axes, (11.8, 1.7), (11.22, 2.05))
    box(axes, 11.0, 3.0, "tanh", 1.0, 0.5, colour=GREEN)
    arrow(axes, (11.0, 2.46), (11.0, 2.74))
    arrow(axes, (11.0, 3.26), (11.0, 4.1))
    axes.text(11.15, 3.7, r"$w_{a2}\,\cdot$", va="center", color=GREEN, fontsize=10)


@drawing(7.2, 2.6, columns=2)
def steps_to_the_source(*panels: Axes) -> None:
    """Steps between source word j and target word t: in chapter 7, which reads backwards, and with attention."""
    words = range(1, 6)
    steps = np.array([[t + j - 1 for j in words] for t in words])
    ways = {"through the states (chapter 7)": steps, "through attention": np.ones_like(steps)}
    for axes, (title, distances) in zip(panels, ways.items(), strict=True):
        cells(axes, distances.astype(str), np.zeros(distances.shape), title)
        for (y, x), number in np.ndenumerate(distances):
            axes.plot(x, y, "o", color=BLUE, alpha=round(0.4 / float(number), 4), markersize=17, markeredgewidth=0)
        axes.set_xticks(range(5), [f"$f_{j}$" for j in words])
        axes.set_yticks(range(5), [f"$e_{t}$" for t in words])


@drawing(9.0, 1.9, columns=3)
def padding_of_sources(*panels: Axes) -> None:
    """Two sources of one batch: scores, what is added, weights."""
    lesson = namespace("08")
    source = lesson["source"]
    scores, weights, added = (np.round(lesson[name], 4) for name in ("batch_scores", "batch_weights", "mask"))
    none = np.zeros((2, 3))
    texts = [[f"{value:.2f}".replace("-", "−") for value in row] for row in scores]
    cells(panels[0], texts, none, "scores")
    cells(panels[1], [["0" if value == 0 else "$-10^9$" for value in row] for row in added], none, "the mask is added")
    cells(panels[2], [[f"{value:.3f}" for value in row] for row in weights], weights, "weights")
    for axes in panels:
        axes.set_xticks(range(3), [*source[:2], f"{source[2]} /\npadding"])
        axes.set_xticks([0.5, 1.5], minor=True)
        axes.set_yticks([0.5], minor=True)
        axes.grid(which="minor", color=INK, linewidth=0.6)
        axes.tick_params(which="both", length=0)
    panels[0].set_yticks(range(2), ["sentence 1", "sentence 2"])
    panels[1].add_patch(plt.Rectangle((1.52, 0.52), 0.96, 0.96, ec=RED, fc="none", lw=1.6))
    panels[2].add_patch(plt.Rectangle((1.52, 0.52), 0.96, 0.96, ec=RED, fc="none", lw=1.6))


@drawing(4.4, 4.2)
def error_rate_by_hand(axes: Axes) -> None:
    """The pair whose error rate the lesson computes: weights, true links, and found links that are wrong."""
    lesson = namespace("08")
    pair, weights = lesson["pair"], np.array(lesson["pair"]["weights"]["default"])
    matrix(axes, weights, pair["source"], pair["target"])
    frames(axes, lesson["true"])
    crosses(axes, lesson["found"] - lesson["true"])
    axes.set(xlabel="source word", ylabel="target word")


@drawing(6.4, 4.2)
def replacing_unknown(axes: Axes) -> None:
    """A recorded translation with `<unk>`, and the source word that is copied in its place."""
    example = recorded(CHAPTER)["example"]
    weights, translation = np.array(example["weights"]), example["found"]
    place = translation.index(UNKNOWN)
    attended = int(weights[place].argmax())
    matrix(axes, weights, example["source"], translation)
    frames(axes, [(attended, place)], ORANGE)
    right = len(example["source"])
    axes.annotate("", (right + 0.6, place), (right - 0.4, place),
                  arrowprops={"arrowstyle": "-|>", "color": ORANGE, "lw": 1.6}, annotation_clip=False)  # fmt: skip
    for row, word in enumerate(translation):
        text = example["source"][attended] if row == place else word
        axes.text(right + 0.8, row, text, va="center", fontsize=9, color=ORANGE if row == place else INK)
    axes.set(xlabel="source word", ylabel="found")
    axes.text(right + 0.8, -0.9, "with copying", fontsize=9, va="center")


@drawing(9.4, 2.8, columns=3, sharey=True)
def soft_hard_local(*panels: Axes) -> None:
    """The weights of one recorded step, three ways."""
    source, soft, hard, local, bell = three_ways()
    for axes, name, weights in zip(panels, ("soft", "hard", "local"), (soft, hard, local), strict=True):
        axes.bar(range(len(source)), weights, color=[BLUE if weight == weights.max() else INK for weight in weights])
        axes.set_xticks(range(len(source)), source, rotation=90)
        axes.set(title=f"{name} (sum {weights.sum():.2f})", ylim=(0, 1.05))
    inside = [place for place in range(len(source)) if abs(place + 1 - PLACE) < WINDOW]
    panels[2].plot(inside, bell[inside], "--o", color=ORANGE, markersize=3, linewidth=1)
    panels[2].axvline(PLACE - 1, color=ORANGE, linestyle=":", linewidth=1)
    panels[0].set(ylabel="attention weight")


@drawing(10.6, 4.2, columns=3, sharey=True)
def what_a_prior_does(*panels: Axes) -> None:
    """One sentence pair under three trained models."""
    record = recorded(CHAPTER)["long"]
    titles = {"default": "no prior", "position-bias": "position bias", "supervised": "supervised"}
    for axes, (name, title) in zip(panels, titles.items(), strict=True):
        matrix(axes, np.array(record["weights"][name]), record["source"], record["target"])
        frames(axes, [tuple(link) for link in record["links"]])
        axes.set(title=title)


@drawing(6.6, 3.2)
def bleu_with_and_without(axes: Axes) -> None:
    """BLEU by the length of the source, of chapters 7 and 8."""
    record = recorded(CHAPTER)["by_length"]
    for (name, runs), colour in zip(record.items(), (ORANGE, BLUE), strict=True):
        lengths = list(runs[0])
        values = np.array([[scores[length][1] for length in lengths] for scores in runs])
        axes.plot(range(len(lengths)), np.round(values.mean(axis=0), 4), color=colour, linewidth=2, label=name)
        for run in values:
            axes.plot(range(len(lengths)), run, "o", color=colour, markersize=3, alpha=0.6)
    labels = [f"{length}\n({runs[0][length][0]})" for length in lengths]
    axes.set_xticks(range(len(lengths)), labels)
    axes.set(xlabel="words of the source (sentences of test)", ylabel="BLEU", ylim=(0, 72))
    axes.legend(loc="center right")
