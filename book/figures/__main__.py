"""`python -m book.figures`: draw every figure of every lesson into its chapter's folder `figures/`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from matplotlib.figure import Figure

from book.figures.style import as_svg, styled
from book.lessons import LESSONS, ROOT
from common.errors import OneLineParser, exits_cleanly
from common.files import atomic_write

CHAPTERS = {f"ch{lesson.split('/')[1][:2]}": str(Path(lesson).parent.as_posix()) for lesson in LESSONS}
"""How the names of the modules that draw for a chapter begin, and the folder of the chapter."""


def drawings() -> dict[str, Callable[[], Figure]]:
    """Every figure: the path of its file from the course's folder, and the function that draws it.

    A figure is drawn by a function of a module chNN... that needs no arguments and says that it gives a `Figure`, as
    those with the decorator `plots.drawing` or `diagrams.diagram` do.
    """
    figures = {}
    for path in sorted((ROOT / "book" / "figures").glob("ch*.py")):
        for draw in figures_of(importlib.import_module(f"book.figures.{path.stem}")):
            figures[f"{CHAPTERS[path.stem[:4]]}/figures/{draw.__name__}.svg"] = draw
    return figures


def figures_of(module: ModuleType) -> list[Callable[[], Figure]]:
    """The functions of a module itself that draw figures, in its order."""
    own = [part for part in vars(module).values() if getattr(part, "__module__", "") == module.__name__]
    return [part for part in own if getattr(part, "__annotations__", None) == {"return": "Figure"}]


def drawn(draw: Callable[[], Figure]) -> bytes:
    """The SVG of a figure."""
    with styled():
        return as_svg(draw())


@exits_cleanly
def main() -> None:
    OneLineParser(prog="python -m book.figures", description=__doc__).parse_args()
    for path, draw in drawings().items():
        (ROOT / path).parent.mkdir(exist_ok=True)
        with atomic_write(ROOT / path, "wb") as file:
            file.write(drawn(draw))
        print(path)


if __name__ == "__main__":
    main()
