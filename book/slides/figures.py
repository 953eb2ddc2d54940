"""The lessons' figures drawn again for slides: as large as the page leaves room, with letters for the last row."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.text import Text

from book.figures.__main__ import drawings
from book.figures.style import as_svg, styled
from book.lessons import ROOT
from common.errors import UserError

WIDTH, HEIGHT = 900, 450
"""Points of the place below a heading."""
BESIDE = 540
"""Points of width that a figure has to the left of its text."""
LEAST = 190
"""Points of height that a figure has at least; where the text leaves less, the slide is too full."""
SMALLEST = 15
"""Points of a letter on the page, which is 960 points wide and 540 high; 14 is the least that the last row can read."""
USUAL = 10
"""Points of a letter in the figures of the lessons."""
ROUNDS = 4
"""Larger letters make a figure's labels take more room, so its scale is found in a few rounds."""


MARK = re.compile(r"(beside)? ?(?:panels (\d+(?:,\d+)*))? ?(?:heights (\d+\.?\d*)-(\d+\.?\d*))?")
"""What a mark of a figure says: `Shown`."""


class Shown(NamedTuple):
    """How a slide shows a figure. beside: to the left of the text. panels: which of them, counted from 1; all for none.
    heights: which part of a diagram, in its own units."""

    beside: bool = False
    panels: tuple[int, ...] = ()
    heights: tuple[float, float] | None = None

    @classmethod
    def read(cls, text: str) -> Shown:
        """From a mark: `beside`, `panels 5,6,8`, `heights 0-6`. Raises `UserError` for another."""
        match = MARK.fullmatch(text)
        if match is None:
            raise UserError(f"figure: {text}: write beside, panels 1,2 or heights 0-6")
        beside, panels, *heights = match.groups(default="")
        numbers = tuple(int(number) for number in panels.split(",") if number)
        return cls(bool(beside), numbers, tuple(map(float, heights)) if heights[0] else None)


def picture(path: Path, shown: Shown, taken: float) -> bytes:
    """The SVG of a lesson's figure for a slide whose text takes so many points of height."""
    width, height = (BESIDE, HEIGHT) if shown.beside else (WIDTH, max(HEIGHT - taken, LEAST))
    with styled():
        figure = all_drawings()[path.relative_to(ROOT).as_posix()]()
        show_part(figure, shown)
        if all(axes.axison for axes in figure.axes):  # a chart gets the form of its place, a diagram keeps its own
            scale = SMALLEST / USUAL
            figure.set_size_inches(width / scale / 72, height / scale / 72)
        for _ in range(ROUNDS):
            if not enlarge(figure, SMALLEST / scale_in(figure, width, height)):
                break
        return as_svg(figure)


all_drawings = cache(drawings)


def show_part(figure: Figure, shown: Shown) -> None:
    """Leave only the panels, or the part of a diagram, that are shown."""
    panels = list(figure.axes)
    kept = [panels[number - 1] for number in shown.panels] or panels
    for axes in set(panels) - set(kept):
        axes.remove()
    if shown.panels:
        grid = GridSpec(1, len(kept), figure)
        for column, axes in enumerate(kept):
            axes.set_subplotspec(grid[column])
            axes.tick_params(labelbottom=True, labelleft=column == 0)
    if shown.heights:
        (axes,), (low, high) = kept, shown.heights
        wide, old = figure.get_size_inches()
        bottom, top = axes.get_ylim()
        figure.set_size_inches(wide, old * (high - low) / (top - bottom))
        axes.set_ylim(low, high)
        for artist in (*axes.texts, *axes.patches, *axes.lines):
            artist.set_clip_on(True)


def scale_in(figure: Figure, width: float, height: float) -> float:
    """By how much a figure can be enlarged to be no larger than a place, in points."""
    figure.get_layout_engine().execute(figure)
    box = figure.get_tightbbox()
    return min(width / 72 / (box.width + 0.2), height / 72 / (box.height + 0.2))


def enlarge(figure: Figure, points: float) -> bool:
    """Make all letters of a figure at least so large; whether one was smaller."""
    smaller = False
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            sizes = [label.get_fontsize() for label in axis.get_ticklabels()]
            if sizes and min(sizes) < points:
                axis.set_tick_params(labelsize=points)
                smaller = True
    for text in figure.findobj(Text):
        if text.get_fontsize() < points:
            text.set_fontsize(points)
            smaller = True
    return smaller
