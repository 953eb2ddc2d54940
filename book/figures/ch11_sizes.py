"""The figure of chapter 11 that shows how much data each model needs, from its record."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from book.figures.ch11 import MODELS
from book.figures.ch11_sizes_record import CHAPTER, RECORD, SIZES, SYSTEMS, on_test
from book.figures.plots import drawing
from book.figures.recorded import recorded

NAMES = {"none": "LSTM", "combined": "attentive LSTM", "rotary": "Transformer"}
"""By the names of `SYSTEMS`, those of `MODELS`."""


@drawing(8.5, 3.1, columns=2)
def data_needed(*panels: Axes) -> None:
    """Perplexity on test by training sentences: a point for each seed, and a line through their means."""
    numbers, sizes = recorded(CHAPTER, RECORD), list(SIZES)
    rows = {
        "perplexity": ("all words", [8, 10, 15, 20, 25]),
        "recall": ("names that come back", [1, 3, 10, 30, 100, 300]),
    }
    for axes, (label, (title, ticks)) in zip(panels, rows.items(), strict=True):
        for system in SYSTEMS:
            name = NAMES[system]
            seeds = [[run[label] for run in on_test(numbers, size, system)] for size in sizes]
            axes.plot(sizes, [np.mean(values) for values in seeds], color=MODELS[name], label=name)
            for size, values in zip(sizes, seeds, strict=True):
                axes.plot([size] * len(values), values, "o", color=MODELS[name], markersize=4, alpha=0.6)
        axes.set(xscale="log", yscale="log", title=title, xlabel="sentences")
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axes.set_yticks(ticks, [f"{tick}" for tick in ticks])
        axes.minorticks_off()
    panels[0].set(ylabel="perplexity, test")
    panels[0].legend()
