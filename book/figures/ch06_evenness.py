"""The figures of chapter 6's part 3 on how even attention is: two sentences, and the whole test split."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from book.figures.ch06 import CHAPTER, COLOURS, heat
from book.figures.ch06_evenness_record import NAME
from book.figures.plots import drawing, note
from book.figures.recorded import recorded
from book.figures.style import GREEN, INK


@drawing(8.6, 6.4, rows=2, columns=2)
def weights_with_modifiers(*panels: Axes) -> None:
    """A sentence with a nominal modifier and one with a relative clause, both scores, numbers in the cells."""
    cases = [(name, of_name, score) for name, of_name in recorded(CHAPTER, NAME)["examples"].items()
             for score in ("combined", "single")]  # fmt: skip
    for axes, (name, example, score) in zip(panels, cases, strict=True):
        weights, sentence = np.array(example[score]), example["sentence"]
        heat(axes, weights, ["<s>", *sentence], [*sentence, "</s>"])
        axes.set(title=f"{name}, {score} score", aspect="auto")
        for row, column in np.argwhere(np.tri(len(weights), k=-1)):
            number, colour = f"{weights[row, column]:.2f}", "white" if weights[row, column] > 0.5 else "black"
            if number not in ("0.00", "1.00"):
                axes.text(column, row, number[1:], ha="center", va="center", color=colour, fontsize=9)


@drawing(7.5, 2.6)
def far_from_even(axes: Axes) -> None:
    """How much weight has to be moved: from each score to even weights, between the scores, and between seeds."""
    record = recorded(CHAPTER, NAME)
    bars = {
        **{f"{score},\neven weights": ([run["all"]["moved"] for run in record["runs"][score]], COLOURS[score])
           for score in ("single", "combined")},
        "single,\ncombined": ([pair["moved"] for pair in record["pairs"]["single, combined"]], GREEN),
        **{f"{score},\nother seed": ([pair["moved"] for pair in record["pairs"][f"{score}, {score}"]], COLOURS[score])
           for score in ("single", "combined")},
    }  # fmt: skip
    for place, (values, colour) in enumerate(bars.values()):
        axes.bar(place, np.mean(values), color=colour, width=0.6)
        axes.plot([place, place], [min(values), max(values)], color=INK, linewidth=1.2)
        note(axes, f"{np.mean(values):.2f}", (place, max(values)))
    axes.set_xticks(range(len(bars)), bars)
    axes.set(ylabel="share of the weight\nthat differs", ylim=(0, 1))
