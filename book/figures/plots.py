"""What many figures have: axes, a text beside a point, numbers over bars, groups of bars, a map of weights."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.figure import Figure

from book.figures.style import ATTENTION, INK
from common.plots.plotting import plt

Point = tuple[float, float]
Drawn = Callable[[Callable[..., None]], Callable[..., Figure]]


def drawing(width: float, height: float, rows: int = 1, columns: int = 1, **grid: Any) -> Drawn:
    """A decorator: a function that draws on axes becomes one that gives a figure of so many inches.

    The axes are its first arguments, row by row. grid: as of `plt.subplots`.
    """
    return on_axes(lambda: plt.subplots(rows, columns, figsize=(width, height), **grid))


def on_axes(make: Callable[[], tuple[Figure, Any]]) -> Drawn:
    """The decorator whose figure and axes are made by this function; what is not drawn to its end is closed."""

    def decorate(draw: Callable[..., None]) -> Callable[..., Figure]:
        @wraps(draw, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
        def picture(*arguments, **changes) -> Figure:
            figure, axes = make()
            try:
                draw(*np.ravel(axes), *arguments, **changes)
            except Exception:
                plt.close(figure)
                raise
            return figure

        return picture

    return decorate


def note(axes: Axes, text: str, point: Point, offset: Point = (0, 3), **style) -> None:
    """A text some typographic points away from a point, centred if the style has no `ha`."""
    axes.annotate(text, point, offset, textcoords="offset points", **{"ha": "center", **style})


def pointer(axes: Axes, text: str, point: Point, offset: Point, colour: str = INK, **style) -> None:
    """A note with an arrow to its point."""
    note(axes, text, point, offset, arrowprops={"arrowstyle": "->", "color": colour}, ha="left", **style)


def numbers_over(axes: Axes, values: Iterable[float], form: str = ".3f", **style) -> None:
    """Each value over its bar, the bars being at 0, 1, 2 ..."""
    for place, value in enumerate(values):
        note(axes, f"{value:{form}}", (place, value), **style)


def numbers_beside(axes: Axes, values: Iterable[float], form: str = ".3f", **style) -> None:
    """Each value to the right of its lying bar, the bars being at 0, 1, 2 ..."""
    for place, value in enumerate(values):
        note(axes, f"{value:{form}}", (value, place), (3, 0), va="center", ha="left", **style)


def bars(
    axes: Axes, names: Collection[str], values: Sequence[float], colours: Sequence[str] | str, form: str = "", **ticks
) -> None:
    """A bar for each name, with its value over it if the form of a number is given. ticks: style of the names."""
    axes.bar(range(len(names)), values, color=colours)
    if form:
        numbers_over(axes, values, form)
    axes.set_xticks(range(len(names)), names, **ticks)


def grouped(
    axes: Axes, names: Collection[str], rows: Mapping[str, tuple[Sequence[float], str]], step: float, width: float
) -> list[BarContainer]:
    """Bars side by side for each name: label -> values and colour. step: from bar to bar. The bars by label."""
    places = np.arange(len(names))
    bars = [axes.bar(places + step * (number - (len(rows) - 1) / 2), values, width, color=colour, label=label)
            for number, (label, (values, colour)) in enumerate(rows.items())]  # fmt: skip
    axes.set_xticks(places, names)
    return bars


def paired_bars(axes: Axes, names: Sequence[str], rows: Mapping[str, tuple[Sequence[float], Any]]) -> None:
    """Two lying bars for each name, the first name on top: label -> values and colour."""
    places = np.arange(len(names))
    for shift, (label, (values, colour)) in zip((-0.2, 0.2), rows.items(), strict=True):
        axes.barh(places + shift, values, 0.38, color=colour, label=label)
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.legend(fontsize=8)


def weight_map(axes: Axes, weights: np.ndarray, columns: Sequence[str], rows: Sequence[str] = (), **style) -> None:
    """Weights in shades, darker is more; `rows` are named on the left where they are given."""
    axes.imshow(weights, **{"cmap": ATTENTION, "vmin": 0, "vmax": 1, **style})
    axes.set_xticks(range(len(columns)), columns, rotation=90, fontsize=9)
    if rows:
        axes.set_yticks(range(len(rows)), rows, fontsize=9)
    axes.tick_params(length=0)
