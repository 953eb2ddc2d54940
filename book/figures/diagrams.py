"""Boxes, circles and arrows for the diagrams of the lessons, in the axes' own units."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.figures.plots import Drawn, Point, on_axes
from book.figures.style import BLUE, GREEN, INK
from common.plots.plotting import plt


def canvas(width: float, height: float, inches: float = 0.6) -> tuple[Figure, Axes]:
    """An empty drawing of so many units; a unit has the same length to the right and upwards.

    inches: the length of a unit.
    """
    figure, axes = plt.subplots(figsize=(width * inches, height * inches))
    axes.set(xlim=(0, width), ylim=(0, height), aspect="equal")
    axes.axis("off")
    return figure, axes


def diagram(width: float, height: float, inches: float = 0.6) -> Drawn:
    """A decorator, as `plots.drawing`: the function draws on the axes of a `canvas`."""
    return on_axes(lambda: canvas(width, height, inches))


def centred(axes: Axes, x: float, y: float, text: str, **style) -> None:
    """A text with its middle at (x, y)."""
    axes.text(x, y, text, ha="center", va="center", **style)


def box(axes: Axes, x: float, y: float, text: str, width: float = 1.2, height: float = 0.6, **style) -> None:
    """A rectangle around the point (x, y) with a text. style: colour (of the line), text_colour, fill, dashed, size."""
    colour, size = style.pop("colour", BLUE), style.pop("size", 9)
    line = "--" if style.pop("dashed", False) else "-"
    fill = style.pop("fill", "none")
    rectangle = plt.Rectangle((x - width / 2, y - height / 2), width, height, ec=colour, fc=fill, ls=line, lw=1.4)
    axes.add_patch(rectangle)
    centred(axes, x, y, text, color=style.pop("text_colour", INK), fontsize=size, **style)


def node(axes: Axes, x: float, y: float, text: str, radius: float = 0.32, **style) -> None:
    """A circle around the point (x, y) with a text. style: as of `box`, but for dashed."""
    colour, size = style.pop("colour", BLUE), style.pop("size", 9)
    axes.add_patch(plt.Circle((x, y), radius, ec=colour, fc=style.pop("fill", "none"), lw=1.4))
    centred(axes, x, y, text, color=style.pop("text_colour", INK), fontsize=size, **style)


def arrow(axes: Axes, start: Point, end: Point, text: str = "", **style) -> None:
    """An arrow between two points, with a text beside its middle. style: colour, dashed, bend (0: straight), width."""
    colour, line = style.pop("colour", INK), "--" if style.pop("dashed", False) else "-"
    shape = {"arrowstyle": "-|>", "color": colour, "ls": line, "lw": style.pop("width", 1.1)}
    way = {"shrinkA": 0, "shrinkB": 0, "connectionstyle": f"arc3,rad={style.pop('bend', 0)}"}
    axes.annotate("", xy=end, xytext=start, arrowprops=shape | way)
    if text:
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        axes.annotate(text, middle, xytext=(4, 4), textcoords="offset points", color=colour, fontsize=9, **style)


def frames(axes: Axes, links: Collection[Sequence[int]], colour: str = GREEN) -> None:
    """A frame around the cell of each link (source word, target word)."""
    for i, j in links:
        axes.add_patch(plt.Rectangle((i - 0.45, j - 0.45), 0.9, 0.9, ec=colour, fc="none", lw=1.8))
