"""The figures of chapter 9: diagrams and the worked examples. Those of trained models are in ch09_runs.py."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from book.figures.diagrams import arrow, box, centred, diagram, node
from book.figures.plots import drawing, grouped, note
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED
from book.lessons.cells import namespace
from common.text.alignment import true_alignments
from common.text.pairs import load_pairs

HEADLINE = "the old blacksmith supplies a crate of sturgeons to maredika ."
"""The source of a test pair of the embedded headlines."""


@diagram(13.8, 7.6)
def two_contexts(axes: Axes) -> None:
    """One step: two memories, two contexts, the gate, the new state and the next word."""
    axes.set(ylim=(-0.4, 7.2))
    places = (1.2, 3.2, 5.2)
    for number, (word, x) in enumerate(zip(namespace("09")["words"], places, strict=True), start=1):
        box(axes, x, 4.3, f"$h_{number}$", colour=BLUE)
        box(axes, x, 2.5, f"$x_{number}$  {word}", width=1.7, colour=ORANGE)
        arrow(axes, (x, 2.8), (x, 4.0))
        arrow(axes, (x, 4.6), (3.2 + (x - 3.2) * 0.3, 5.5), colour=BLUE, width=3.0 if number == 1 else 1.0)
        arrow(axes, (x, 2.2), (3.2 + (x - 3.2) * 0.3, 1.3), colour=ORANGE, width=3.0 if number == 1 else 1.0)
    for left, right in zip(places[:-1], places[1:], strict=True):
        axes.annotate("", (right - 0.6, 4.3), (left + 0.6, 4.3), arrowprops={"arrowstyle": "<|-|>", "color": INK})
    box(axes, 3.2, 5.8, "$c_t^h = \\sum_j a_{tj}^h h_j$", width=2.8, colour=BLUE)
    box(axes, 3.2, 1.0, "$c_t^x = \\sum_j a_{tj}^x x_j$", width=2.8, colour=ORANGE)
    box(axes, 7.4, 3.4, "gate $o_t$", width=1.5, colour=PURPLE)
    for y, colour, text in ((5.8, BLUE, "$o_t \\odot$"), (1.0, ORANGE, "$(1 - o_t) \\odot$")):
        node(axes, 7.4, y, text, radius=0.55, colour=PURPLE, size=9)
        toward = 0.55 if y < 3 else -0.55
        arrow(axes, (4.6, y), (6.85, y), colour=colour)
        arrow(axes, (6.0, y), (6.75, 3.7 if y > 3 else 3.1), colour=colour)
        arrow(axes, (7.4, 3.7 if y > 3 else 3.1), (7.4, y + toward), colour=PURPLE)
        arrow(axes, (7.9, y + toward / 2), (9.5, 3.4 + (0.2 if y > 3 else -0.2)), colour=colour)
        arrow(axes, (7.95, y), (12.2, 3.75 if y > 3 else 3.05), colour=colour)
        outer, side = (6.8, 0.3) if y > 3 else (0.0, -0.3)
        axes.plot([3.2, 3.2, 13.0], [y + side, outer, outer], "--", color=colour, linewidth=1.1)
        arrow(axes, (13.0, outer), (13.0, 3.4 + side), colour=colour, dashed=True)
        centred(axes, 10.0, outer + side / 2, "as printed", color=colour, fontsize=9)
        centred(axes, 10.6, y - 3 * side, "ours", color=colour, fontsize=9)
    box(axes, 10.2, 3.4, "RNN: $h_t^{(e)}$", width=1.9, height=0.7, colour=GREEN)
    box(axes, 12.7, 3.4, "output: $p_t$", width=1.5, colour=GREEN)
    arrow(axes, (11.15, 3.4), (11.95, 3.4), colour=GREEN)


@drawing(8.8, 3.4, columns=2, sharey=True, width_ratios=(1.5, 1))
def contexts_by_hand(left: Axes, right: Axes) -> None:
    """The worked step in the plane: both memories and contexts, then what the gate leaves of them."""
    lesson = namespace("09")
    memories = ((lesson["h"], "h", BLUE, "annotations"), (lesson["x"], "x", ORANGE, "embeddings"))
    for (rows, letter, colour, label), plain, gated in zip(memories, lesson["whole"], lesson["read"], strict=True):
        left.plot(*rows.T, "o", color=colour, label=label)
        for word, (x, y) in zip(lesson["words"], rows, strict=True):
            note(left, word, (x, y), (4, 8), color=colour, fontsize=9)
        plain, gated = np.round(plain, 4), np.round(gated, 4)
        left.plot(*plain, "*", color=colour, markersize=15)
        side = (10, -12) if letter == "h" else (-2, -14)
        note(left, f"$c^{letter}$", plain, side, color=colour)
        right.plot(*plain, "*", color=colour, markersize=13, alpha=0.35)
        right.plot(*gated, "*", color=colour, markersize=13)
        right.annotate("", gated, plain, arrowprops={"arrowstyle": "-|>", "color": PURPLE, "shrinkA": 5, "shrinkB": 5})
    left.set(title="the two memories (dots) and their contexts (stars)", xlim=(-1.2, 1.25), ylim=(-0.15, 1.2))
    left.legend(loc="upper right", fontsize=9)
    right.set(title="behind the gate", xlim=(0, 1.25))
    for axes in (left, right):
        axes.set(xlabel="first number")
    left.set(ylabel="second number")


@drawing(8.8, 3.0, columns=2)
def gate_function(left: Axes, right: Axes) -> None:
    """The gate as a function of its argument, and how much of a gradient passes to that argument."""
    line = np.round(np.linspace(-6, 6, 241), 4)
    gate = 1 / (1 + np.exp(-line))
    inner = np.round(sum(namespace("09")["terms"]), 4)
    at = 1 / (1 + np.exp(-inner))
    left.plot(line, np.round(gate, 6), color=BLUE, label="$o$: what annotations get")
    left.plot(line, np.round(1 - gate, 6), color=ORANGE, label="$1 - o$: what words get")
    left.plot(inner, np.round(at, 4), "o", color=PURPLE)
    left.plot(inner, np.round(1 - at, 4), "o", color=PURPLE)
    left.set(xlabel="argument of the sigmoid", ylabel="factor", title="sharing", ylim=(-0.05, 1.45))
    left.legend(fontsize=9, loc="upper center")
    right.plot(line, np.round(gate * (1 - gate), 6), color=GREEN)
    right.plot(inner, np.round(at * (1 - at), 4), "o", color=PURPLE)
    right.axhline(0.25, color=INK, linestyle=":", linewidth=1)
    note(right, "1/4", (-5.9, 0.25), (0, -11), fontsize=9, ha="left")
    right.set(xlabel="argument of the sigmoid", ylabel="$o\\,(1 - o)$", title="learning: the sigmoid's derivative")


@drawing(7.0, 2.9)
def gradient_through_the_gate(axes: Axes) -> None:
    """The worked gradient of each number of each context: through the product, and through the gate."""
    lesson = namespace("09", 3)
    labels = ["$c^h$, first", "$c^h$, second", "$c^x$, first", "$c^x$, second"]
    direct = np.round([*lesson["direct_h"], *lesson["direct_x"]], 4)
    whole = np.round([*lesson["by_h"], *lesson["by_x"]], 4)
    rows = {"through the product": (direct, BLUE), "through the gate": (np.round(whole - direct, 4), PURPLE),
            "in all": (whole, GREEN)}  # fmt: skip
    grouped(axes, labels, rows, 0.27, 0.25)
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set(ylabel="gradient of the loss")
    axes.legend(fontsize=9)


def row_of_words(axes: Axes, words: list[str], y: float, colours: list[str], width: float) -> list[float]:
    """Words side by side, centred in a drawing of this width; the place of each."""
    sizes = [0.17 * len(word) + 0.35 for word in words]
    x, places = (width - sum(sizes)) / 2, []
    for word, size, colour in zip(words, sizes, colours, strict=True):
        places.append(x + size / 2)
        centred(axes, places[-1], y, word, color=colour)
        x += size
    return places


@diagram(13.5, 2.7)
def headline_and_source(axes: Axes) -> None:
    """A pair of the headlines: what is copied, what is reworded, what is dropped."""
    corpus = load_pairs("village_headlines")
    number = next(i for i, pair in enumerate(corpus.test) if " ".join(pair.source) == HEADLINE)
    (source, target), links = corpus.test[number], sorted(true_alignments(corpus, "test")[number])
    fates = {i: GREEN if source[i] == target[j] else ORANGE for i, j in links}
    above = row_of_words(axes, list(source), 2.1, [fates.get(i, INK) for i in range(len(source))], 13.5)
    below = row_of_words(axes, list(target), 0.4, [fates[i] for i, _ in sorted(links, key=lambda link: link[1])], 13.5)
    for i, j in links:
        axes.plot([above[i], below[j]], [1.85, 0.65], color=fates[i], linewidth=1.4)
    for x, text, colour in ((10.2, "copied", GREEN), (11.2, "reworded", ORANGE), (12.5, "dropped", INK)):
        axes.text(x, 0.4, text, color=colour, fontsize=9, va="center")


@drawing(8.0, 5.4, rows=3)
def rouge_by_hand(*panels: Axes) -> None:
    """Candidate above, reference below: matching words, matching pairs, the longest common subsequence."""
    lesson = namespace("09", 2)
    links_of = {
        "ROUGE-1: words": (matches(1), BLUE),
        "ROUGE-2: pairs of neighbours": (matches(2), RED),
        "ROUGE-L": ([(i, j, 1) for i, j in lesson["common"](0, 0)], GREEN),
    }
    for axes, (title, (links, colour)) in zip(panels, links_of.items(), strict=True):
        axes.set(xlim=(0, 13.5), ylim=(0, 2.4))
        axes.set_title(title, loc="left", fontsize=9)
        axes.axis("off")
        texts = ((lesson["candidate"], 1.9), (lesson["reference"], 0.4))
        places = [row_of_words(axes, words, y, [INK] * len(words), 13.5) for words, y in texts]
        for i, j, n in links:
            ends = [np.mean(row[start : start + n]) for row, start in zip(places, (i, j), strict=True)]
            axes.plot(np.round(ends, 4), [1.65, 0.65], color=colour, linewidth=1.3)
            for row, start, y in zip(places, (i, j), (1.65, 0.65), strict=True):
                axes.plot([row[start] - 0.15, row[start + n - 1] + 0.15], [y, y], color=colour, linewidth=1.3)


def matches(n: int) -> list[tuple[int, int, int]]:
    """The n-grams of the candidate that the reference holds, each of its own once: both places, and n."""
    texts = [namespace("09", 2)[name] for name in ("candidate", "reference")]
    candidate, reference = ([words[i : i + n] for i in range(len(words) - n + 1)] for words in texts)
    found = []
    for i, gram in enumerate(candidate):
        if gram in reference:
            found.append((i, reference.index(gram), n))
            reference[found[-1][1]] = []
    return found
