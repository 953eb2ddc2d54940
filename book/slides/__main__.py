"""Make the instructor's slides: `python -m book.slides [ch01 ...]`, or `make slides`; pages to show, and PDF to print.

The pages go to build/slides/chNN/index.html (S opens the speaker's view). Where Chrome or Chromium is installed, each
deck becomes build/slides/chNN.pdf too.
"""

from __future__ import annotations

import sys
from pathlib import Path

from book.lessons import ROOT, make_folder
from book.packages import check_packages
from book.slides.deck import decks, stage
from book.slides.printing import find_browser, print_deck
from common.endings import did_you_mean, one_line
from common.errors import OneLineParser, UserError, exits_cleanly

NEEDED = ("sphinx", "myst_parser", "sphinx_revealjs", "sphinx-mathjax-offline")


@exits_cleanly
def main() -> None:
    parser = OneLineParser(prog="python -m book.slides", description=__doc__.splitlines()[0])
    parser.add_argument("deck", nargs="*", help="ch01, ch02, ...; all of them if none is named")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "build" / "slides", metavar="DIR", help="default: build/slides"
    )
    parser.add_argument("--no-pdf", action="store_true", help="pages only")
    arguments = parser.parse_args()
    by_name = {path.stem: path for path in decks()}
    if not by_name:
        raise UserError("the students' edition of the course has no slides")
    for name in arguments.deck:
        if name not in by_name:
            raise UserError(f"no slides {name!r}; there are {', '.join(by_name)}{did_you_mean(name, by_name)}")
    make_folder(arguments.out)
    check_packages("slides", NEEDED)
    browser = None if arguments.no_pdf else find_browser()
    failed = [name for name in arguments.deck or by_name if not make(by_name[name], arguments.out / name, browser)]
    if failed:
        again = f"python -m book.slides {' '.join(failed)}"
        sys.exit(f"error: not made: {', '.join(failed)}; make them again: {again}")


def make(deck: Path, out: Path, browser: str | None) -> bool:
    """Build a deck and print it; say what failed, so that the other decks are made. browser: None for pages only."""
    try:
        build(deck, out)
        print(out / "index.html", flush=True)
        if browser:
            pdf = out.with_name(f"{out.name}.pdf")
            print_deck(browser, out / "index.html", pdf)
            print(pdf, flush=True)
    except UserError as error:
        print(f"error: {one_line(str(error))}", file=sys.stderr, flush=True)
        return False
    return True


def build(deck: Path, out: Path) -> None:
    """The pages of a deck. Raises `UserError` where a slide is bad."""
    from sphinx.cmd.build import build_main  # an extra: only the slides need it

    staged = out.with_name(f"{out.name}-pages")
    stage(deck, staged)
    options = ["-q", "-W", "--keep-going", "-b", "revealjs", "-c", str(Path(__file__).parent), "-d", f"{staged}-read"]
    if build_main([*options, str(staged), str(out)]):
        raise UserError(f"{deck} has faulty slides; they are named above")


if __name__ == "__main__":
    main()
