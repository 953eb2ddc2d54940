"""The figures of chapter 10, part 2; those that show trained models draw what `ch10_part2_record` has recorded."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from book.figures.diagrams import arrow, box, centred, diagram
from book.figures.plots import drawing, grouped, numbers_over
from book.figures.style import ATTENTION, BLUE, GREEN, INK, ORANGE, PURPLE
from book.lessons.cells import namespace

SYSTEMS = {"plain": ("attention alone", BLUE), "bias": ("lexicon as bias", ORANGE),
           "linear": ("lexicon, linear", PURPLE), "copying": ("copying", GREEN)}  # fmt: skip


@drawing(5.5, 2.8)
def rare_names(axes: Axes) -> None:
    """How many names of the test split training shows so often."""
    counts = namespace("10", 2)["rarity"]
    axes.bar(range(len(counts)), list(counts.values()), 0.6, color=BLUE)
    numbers_over(axes, counts.values(), "", fontsize=9)
    axes.set_xticks(range(len(counts)), [label.replace(" times", "\ntimes") for label in counts], fontsize=9)
    axes.set(ylabel="names of the test split", xlabel="in training")


@drawing(7.5, 3, columns=2, width_ratios=(3, 2))
def lexicon_columns(left: Axes, right: Axes) -> None:
    """L_F, a column for each source word, and its product with the weights."""
    lesson, source = namespace("10", 2), ("cestolan", "park", "cranes")
    shares, target = lesson["L"], lesson["words"]
    left.imshow(shares, cmap=ATTENTION, vmin=0, vmax=1, aspect="auto")
    for (row, column), share in np.ndenumerate(shares):
        if share:
            centred(left, column, row, f"{share:.1f}", fontsize=9,
                      color="white" if share > 0.5 else "black")  # fmt: skip
    labels = [f"{word}\nweight {weight:.1f}" for word, weight in zip(source, lesson["a"], strict=True)]
    left.set_xticks(range(len(labels)), labels, fontsize=9)
    left.set_yticks(range(len(target)), target, fontsize=9)
    left.set(title="$L_F$")
    right.barh(range(len(target)), np.round(lesson["lexicon"], 4), 0.6, color=GREEN)
    right.set_yticks([])
    right.invert_yaxis()
    right.set(title="$l_t = L_F a_t$", xlim=(0, 0.7))


@drawing(6.5, 3)
def two_ways(axes: Axes) -> None:
    """The network's probabilities beside those with a bias and with a linear mixture."""
    lesson = namespace("10", 2)
    colours = {"the network": ("network", BLUE), "with a bias": ("bias", ORANGE), "linear": ("linear", PURPLE)}
    rows = {label: (np.round(lesson[name], 4), colour) for label, (name, colour) in colours.items()}
    grouped(axes, lesson["words"], rows, 0.27, 0.24)
    axes.set(ylabel="probability")
    axes.legend(fontsize=9)


@drawing(6, 3)
def epsilons(axes: Axes) -> None:
    """The probabilities with a bias, from a lexicon that rules to one that is not heard."""
    powers = np.linspace(-5, 2, 36)
    lesson = namespace("10", 2)
    rows = np.round([lesson["with_bias"](float(10**power)) for power in powers], 4)
    for word, row, colour in zip(lesson["words"], rows.T, (GREEN, BLUE, ORANGE, PURPLE, INK), strict=True):
        axes.plot(10**powers, row, color=colour, label=word)
    axes.axvline(0.001, color=INK, lw=0.8, ls=":")
    axes.set(xscale="log", xlabel="$\\varepsilon$", ylabel="probability with a bias", ylim=(0, None))
    axes.legend(fontsize=9, ncols=2)


@diagram(14, 6.4, inches=0.55)
def copying_step(axes: Axes) -> None:
    """Two distributions, over the network's words and over the source's, and the gate that shares out between them."""
    box(axes, 2.2, 3.2, "state and context\n$[h_t; c_t]$", width=3.2, height=1.1)
    box(axes, 7, 5.2, "softmax over known words", width=4.4, colour=BLUE)
    box(axes, 7, 1.2, "attention: a word of the source", width=4.8, colour=GREEN)
    box(axes, 7, 3.2, "gate $s_t$", width=1.8, colour=ORANGE)
    box(axes, 12.2, 3.2, "one distribution", width=2.8, colour=INK)
    for x, y in ((4.8, 5.0), (4.6, 1.4), (6.1, 3.2)):
        arrow(axes, (3.8, 3.2 + 0.2 * np.sign(y - 3.2)), (x, y))
    arrow(axes, (9.2, 5.0), (11.4, 3.55), colour=BLUE)
    arrow(axes, (9.4, 1.4), (11.4, 2.85), colour=GREEN)
    arrow(axes, (7.9, 3.2), (10.8, 3.2), colour=ORANGE, dashed=True)
    axes.text(10.7, 4.65, "times $1 - s_t$", color=BLUE, fontsize=9)
    axes.text(10.7, 1.65, "times $s_t$", color=GREEN, fontsize=9)
    axes.text(7, 5.8, "petedan, lusita, na, ... and <unk>", ha="center", fontsize=9)
    axes.text(7, 0.5, "ardora, mentions, cranes", ha="center", fontsize=9)


@drawing(6.5, 2.6)
def copied_word_by_word(axes: Axes) -> None:
    """How much a trained model copies at each word of a translation."""
    gate = namespace("10", 2)["part2"]["gate"]
    axes.bar(range(len(gate["copied"])), gate["copied"], 0.6, color=GREEN)
    axes.set_xticks(range(len(gate["words"])), gate["words"])
    axes.set(ylabel="$s_t$, the share of copying", ylim=(0, 1))


@drawing(6.5, 3.2)
def names_right(axes: Axes) -> None:
    """Names translated rightly, by how often training shows them: a dot a seed, a line for the mean."""
    lesson = namespace("10", 2)
    labels = lesson["often"]
    for number, (system, (name, colour)) in enumerate(SYSTEMS.items()):
        rows = lesson["shares_right"](system)
        places = np.arange(len(labels)) + 0.06 * (number - 1.5)
        axes.plot(places, np.round(rows.mean(axis=0), 2), color=colour, label=name)
        for row in rows:
            axes.plot(places, np.round(row, 2), "o", ms=3, color=colour)
    axes.set_xticks(range(len(labels)), [label.replace(" times", "\ntimes") for label in labels], fontsize=9)
    axes.set(xlabel="in training", ylabel="names right, %", ylim=(-3, 103))
    axes.legend(fontsize=9)
