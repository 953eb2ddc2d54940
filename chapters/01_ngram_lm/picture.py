"""Perplexity by order, a line a smoothing method, as PNG."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from common.plotting import plt, save_figure


def perplexity_by_order(found: Mapping[tuple[str, int], float], path: Path, oracle: float | None) -> None:
    """found: perplexity for (smoothing, order); one that is infinite leaves a gap."""
    figure, axes = plt.subplots(figsize=(6.5, 4.5))
    for smoothing in dict.fromkeys(name for name, _ in found):
        points = [(order, figure) for (name, order), figure in found.items() if name == smoothing]
        points = [(order, figure) for order, figure in points if math.isfinite(figure)]
        axes.plot(*zip(*points, strict=True), "o-", markersize=4, label=smoothing)
    if oracle is not None:
        axes.axhline(oracle, color="black", linewidth=1, linestyle="--", label=f"oracle ({oracle:.2f})")
    axes.set(xlabel="order n", ylabel="perplexity on dev", yscale="log")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("{x:g}")
    axes.legend(fontsize="small")
    save_figure(figure, path)
