"""Learning curves, and how every picture is written: as PNG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # draw to files, also on machines without a screen
from matplotlib import pyplot as plt  # noqa: E402

from common.files import atomic_write  # noqa: E402


def save_figure(figure: plt.Figure, path: str | Path) -> None:
    """Write the figure as PNG, whole or not at all, and close it."""
    with atomic_write(path, "wb") as file:
        figure.savefig(file, format="png", dpi=150, bbox_inches="tight")
    plt.close(figure)


def learning_curve(history: Sequence[dict], path: str | Path, oracle: float | None = None) -> None:
    """Perplexity of train and dev over the epochs, with the oracle's as a line where it is known."""
    epochs = [record["epoch"] for record in history]
    figure, axes = plt.subplots(figsize=(6, 4))
    axes.plot(epochs, [record["train_perplexity"] for record in history], "o--", color="tab:gray", label="train")
    axes.plot(epochs, [record["dev_perplexity"] for record in history], "o-", color="tab:blue", label="dev")
    if oracle is not None:
        axes.axhline(oracle, color="tab:green", linewidth=1, label=f"oracle on dev ({oracle:.2f})")
    axes.set(xlabel="epoch", ylabel="perplexity", yscale="log")
    axes.xaxis.get_major_locator().set_params(integer=True)  # type: ignore[call-arg]
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("{x:g}")
    axes.legend()
    save_figure(figure, path)
