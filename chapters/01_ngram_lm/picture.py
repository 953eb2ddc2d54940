"""Perplexity by order, a line a smoothing method, as PNG."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from common.plots.plotting import plt, save_figure


def perplexity_by_order(perplexities: Mapping[tuple[str, int], float], path: Path, oracle: float | None) -> None:
    """perplexities: of (smoothing, order); an infinite one leaves a gap.

    Unigrams are drawn only where there is nothing else: they are so much worse that all the rest would be one line.
    """
    least = min(2, max(order for _, order in perplexities))
    figure, axes = plt.subplots(figsize=(6.5, 4.5))
    for smoothing in dict.fromkeys(name for name, _ in perplexities):
        points = [
            (order, value) for (name, order), value in perplexities.items() if name == smoothing and order >= least
        ]
        points = [point for point in points if math.isfinite(point[1])]
        if points:
            axes.plot(*zip(*points, strict=True), "o-", markersize=4, label=smoothing)
    if oracle is not None:
        axes.axhline(oracle, color="black", linewidth=1, linestyle="--", label=f"oracle ({oracle:.2f})")
    axes.set(xlabel="order n", ylabel="perplexity on dev")
    axes.xaxis.get_major_locator().set_params(integer=True)  # type: ignore[call-arg]
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(0.02, 0.3))
    save_figure(figure, path)
