"""One style for all figures: SVG on a transparent ground, in colours that read on white and on black."""

from __future__ import annotations

import io
import re
from contextlib import contextmanager

from matplotlib.figure import Figure
from matplotlib.text import Text

from common.plots.ground import (
    BLUE,
    GREEN,
    INK as INK,  # the figures' own modules take it from here
    OLIVE,
    ON_ANY_GROUND,
    ORANGE,
    PURPLE,
    RED,
    TEAL,
)
from common.plots.heatmaps import WEIGHT_COLOURS
from common.plots.plotting import plt

FUTURE = "#c3d3e6"
"""What no weight can be on. Not transparent: on a dark page it would look like full attention."""
ATTENTION = plt.colormaps[WEIGHT_COLOURS["cmap"]].with_extremes(bad=FUTURE)
"""The colours of attention weights, everywhere: darker is more attention."""
CYCLE = (BLUE, ORANGE, GREEN, PURPLE, RED, OLIVE, TEAL)
"""The colours of what has none of its own, in their order."""

STYLE = {
    **ON_ANY_GROUND,
    "svg.fonttype": "path",
    "svg.hashsalt": "attention-from-ngrams",
    "font.family": "DejaVu Sans",
    "axes.prop_cycle": plt.cycler(color=CYCLE),
    "figure.constrained_layout.use": True,
}
PAGE_WIDTH = 8.6
"""Inches: a figure that is wider is shrunk to the page."""
SMALLEST = 9
"""Points: no letter is smaller where a figure is as wide as the page."""


@contextmanager
def styled():
    """Figures made inside have the style."""
    with plt.rc_context({**plt.rcParamsDefault, "backend": "Agg", **STYLE}):
        yield


def as_svg(figure: Figure) -> bytes:
    """The picture, the same bytes each time; call it inside `styled`. Closes the figure."""
    enlarge_letters(figure)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    plt.close(figure)
    picture = with_own_names(with_numbered_clips(buffer.getvalue()))
    return b"\n".join(line.rstrip() for line in picture.split(b"\n"))


def enlarge_letters(figure: Figure) -> None:
    """Let no text be smaller than `SMALLEST` once the figure is shrunk to the page."""
    least = SMALLEST * max(1, figure.get_figwidth() / PAGE_WIDTH)
    for text in figure.findobj(Text):
        text.set_fontsize(max(least, text.get_fontsize()))


def with_numbered_clips(picture: bytes) -> bytes:
    """The SVG with its clipping rectangles named clip1, clip2, ... in the order of their first use.

    matplotlib names them after all digits of their corners, of which the last differ from one computation of the layout
    to the next.
    """
    names = dict.fromkeys(re.findall(rb"url\(#(p[0-9a-f]{10})\)", picture))
    for number, name in enumerate(names, start=1):
        picture = picture.replace(name, b"clip%d" % number)
    return picture


def with_own_names(picture: bytes) -> bytes:
    """The SVG with another name for each image: matplotlib gives equal ones the same."""
    seen: dict[bytes, int] = {}

    def named(match: re.Match) -> bytes:
        seen[match[1]] = seen.get(match[1], 0) + 1
        return match[0] if seen[match[1]] == 1 else b'id="%s-%d"' % (match[1], seen[match[1]])

    return re.sub(rb'id="(image[0-9a-f]{10})"', named, picture)
