"""The diagrams of chapter 4: the network, windows over a sentence, classes, a Huffman tree."""

from __future__ import annotations

import itertools

import numpy as np
from matplotlib.axes import Axes

from book.figures.diagrams import arrow, box, centred, diagram
from book.figures.plots import drawing
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED
from book.lessons.cells import namespace
from common.nn.hierarchical_softmax import HuffmanTree

SENTENCE = "the goat that belongs to dora waits until dora fills her ugly spoon .".split()
DECIDED = {"waits": ("goat", PURPLE), "spoon": ("fills", GREEN)}
"""A word, what decides it, and its colour."""


@diagram(13, 7.6, 0.55)
def network(axes: Axes) -> None:
    """The network of order 5, from words to probabilities, with the shapes at the right."""
    words = "mira translates a strange".split()
    for place, word in enumerate(words):
        x = 1.5 + 2.2 * place
        centred(axes, x, 0.3, word, color=INK, fontsize=10)
        arrow(axes, (x, 0.6), (x, 1.3))
        box(axes, x, 1.7, f"$x_{{t-{4 - place}}}$", 1.5, 0.7, size=11)
    box(axes, 4.8, 3.1, "$m$", 8.1, 0.6, colour=BLUE, size=11)
    for place in range(len(words)):
        arrow(axes, (1.5 + 2.2 * place, 2.05), (1.5 + 2.2 * place, 2.8))
    for y, text, width, colour, below in (
        (4.5, r"$h = \tanh(W_{mh}\, m + b_h)$", 4.6, ORANGE, 3.4),
        (5.8, r"$s = W_{hs}\, h + b_s$", 8.1, GREEN, 4.85),
        (7.1, r"$p = \mathrm{softmax}(s)$", 8.1, PURPLE, 6.1),
    ):
        box(axes, 4.8, y, text, width, 0.65, colour=colour, size=11)
        arrow(axes, (4.8, below), (4.8, y - 0.33))
    for y, text in ((0.3, "n−1 words"), (1.7, "L numbers each:\na column of M"), (3.1, "(n−1)·L numbers"),
                    (4.5, "H numbers"), (5.8, "V scores"), (7.1, "V probabilities")):  # fmt: skip
        axes.text(9.5, y, text, va="center", color=INK, fontsize=9)


@drawing(7.6, 2.9, rows=2)
def windows(upper: Axes, lower: Axes) -> None:
    """Which of two deciding words lie within the windows of orders 2, 3 and 5."""
    widths = np.array([0.19 * len(word) + 0.42 for word in SENTENCE])
    centres = widths.cumsum() - widths / 2
    for axes, (word, (decider, colour)) in zip((upper, lower), DECIDED.items(), strict=True):
        predicted = SENTENCE.index(word)
        for number, token in enumerate(SENTENCE):
            shade = RED if number == predicted else colour if number == SENTENCE.index(decider) else INK
            strong = "bold" if shade != INK else "normal"
            axes.text(centres[number], 2.5, token, ha="center", color=shade, fontsize=9, weight=strong)
        for row, order in enumerate((2, 3, 5)):
            begin, end = centres[predicted - order + 1], centres[predicted - 1]
            seen = predicted - order + 1 <= SENTENCE.index(decider) < predicted
            y = 2.0 - 0.62 * row
            axes.plot([begin - 0.4, end + 0.4], [y, y], color=colour if seen else INK, linewidth=5, alpha=0.8)
            verdict = f"sees {decider}" if seen else f"does not see {decider}"
            axes.text(end + 0.7, y, f"n = {order}: {verdict}", va="center", fontsize=9, color=INK)
        axes.set(xlim=(0, widths.sum()), ylim=(0.3, 3.1))
        axes.axis("off")


@diagram(13, 5.2, 0.55)
def class_steps(axes: Axes) -> None:
    """The two steps of a class-based softmax on the words of chapter 1: classes, then the words of one."""
    lesson = namespace("04")
    words, word_class, within = lesson["words"], lesson["word_class"], lesson["within"]
    own_class = word_class[words.index("girl")]
    box(axes, 1.0, 2.6, "$h$", 1.0, 0.7, size=11)
    for number, share in enumerate(lesson["class_shares"]):
        y = 4.4 - 1.8 * number
        here = number == own_class
        colour = ORANGE if here else INK
        box(axes, 4.6, y, f"class {number + 1}: {share:.4f}", 2.8, 0.75, colour=colour, dashed=not here)
        arrow(axes, (1.5, 2.6), (3.2, y), colour=BLUE)
        for place, word in enumerate(np.flatnonzero(word_class == number)):
            x = 7.6 + 1.55 * place
            text = f"{words[word]}\n{within[word]:.1f}" if here else words[word]
            box(axes, x, y, text, 1.4, 0.85, colour=GREEN if here else INK, dashed=not here)
        arrow(axes, (6.0, y), (6.9, y), colour=GREEN if here else INK, dashed=not here)
    axes.text(2.3, 4.9, "step 1: P(class | h)", color=BLUE, fontsize=9, ha="center")
    axes.text(9.9, 1.55, "step 2: P(w | class, h), in the class of girl only", color=GREEN, fontsize=9, ha="center")


@diagram(13.4, 6.0, 0.55)
def huffman_path(axes: Axes) -> None:
    """The Huffman tree of the three sentences, the path to *girl* in colour."""
    words, counts, tree = namespace("04")["words"], namespace("04")["counts"], HuffmanTree(namespace("04")["shares"])
    spots, masses, root = layout(tree, counts)
    path, node = {root}, words.index("girl")
    while node != root:
        path.add(node)
        node = int(tree.parent[node])
    for node, (x, y) in spots.items():
        inner, coloured = node >= len(counts), node in path
        text = f"{masses[node]:.0f}" if inner else f"{words[node]}\n{masses[node]:.0f}"
        size = (0.8, 0.6) if inner else (1.45, 0.8)
        box(axes, x, y, text, *size, colour=ORANGE if coloured else BLUE)
        if node != root:
            colour, (above, height) = ORANGE if coloured else INK, spots[int(tree.parent[node])]
            arrow(axes, (above, height - 0.3), (x, y + size[1] / 2), colour=colour, width=2 if coloured else 1)
            side = -0.35 if x < above else 0.35
            turn = f"{tree.turn[node]:+.0f}".replace("-", "−")
            axes.text((x + above) / 2 + side, (y + height) / 2, turn, fontsize=9, ha="center", color=colour)


def layout(tree: HuffmanTree, counts: np.ndarray) -> tuple[dict[int, tuple[float, float]], dict[int, float], int]:
    """Where each node of the tree is drawn, its weight in counts, and the root: leaves side by side, left to right."""
    root, leaves = len(tree.parent) - 1, itertools.count()
    spots, masses = {}, dict(enumerate(counts.tolist()))

    def settle(node: int, depth: int) -> None:
        if node < len(counts):
            x = 1.0 + 1.6 * next(leaves)
        else:
            above, turns = tree.parent[:-1] == node, tree.turn[:-1]
            subtrees = [int(np.flatnonzero(above & (turns == side))[0]) for side in (-1, 1)]
            for subtree in subtrees:
                settle(subtree, depth + 1)
            masses[node] = sum(masses[subtree] for subtree in subtrees)
            x = sum(spots[subtree][0] for subtree in subtrees) / 2
        spots[node] = (x, 5.6 - 1.2 * depth)

    settle(root, 0)
    return spots, masses, root
