"""Build the course as a site that works without a network: `python -m book.site`, or `make book`."""

from __future__ import annotations

from pathlib import Path

from book.lessons import ROOT, make_folder
from book.live.figures import write_scripts
from book.live.pages import FOLDER, figures_below
from book.packages import check_packages
from book.printed.making import make_epub, make_pdf
from book.site.door import write_notebooks, write_texts
from book.site.edition import Edition
from book.site.sources import write_sources
from book.site.staging import LABS, stage
from book.slides.printing import need_browser
from common.errors import OneLineParser, UserError, exits_cleanly

NEEDED = ("sphinx", "myst_nb", "furo", "sphinx-mathjax-offline", "sphinx_copybutton", "sphinxext")


@exits_cleanly
def main() -> None:
    parser = OneLineParser(prog="python -m book.site", description=__doc__)
    parser.add_argument("--instructor", action="store_true", help="add the model answers and the instructor's kit")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "book", metavar="DIR", help="default: build/book")
    parser.add_argument("--pdf", action="store_true", help="write the lessons, results and exercises as one PDF, too")
    parser.add_argument("--epub", action="store_true", help="and as EPUB; both need Chrome or Chromium")
    arguments = parser.parse_args()
    if arguments.pdf or arguments.epub:
        need_browser()
    build(Edition(arguments.instructor), arguments.out)
    print(f"the book is in {arguments.out / 'index.html'}")
    for wanted, make in ((arguments.pdf, make_pdf), (arguments.epub, make_epub)):
        if wanted:
            print(f"and in {make(arguments.out.with_name('printed'))}")


def build(edition: Edition, out: Path, labs: Path = LABS) -> None:
    """Stage the pages beside `out`, then build them. Raises `UserError` where a package is missing or a page is bad."""
    check_packages("book", NEEDED)
    make_folder(out)
    out = out.resolve()  # of "." the name as well
    staged = out.with_name(f"{out.name}-pages")
    stage(edition, staged, labs)
    build_pages(staged, out)
    write_sources(edition, out)
    write_notebooks(out)


def build_pages(staged: Path, out: Path) -> None:
    """Let Sphinx build the staged pages, with the scripts of their live figures. Raises `UserError` for a bad page."""
    from sphinx.cmd.build import build_main  # an extra: only the book needs it

    write_scripts(figures_below(staged), out / "_static" / FOLDER)
    write_texts(staged, out / "_static")
    options = ["-q", "-W", "--keep-going", "-j", "auto", "-c", str(Path(__file__).parent), "-d", f"{staged}-read"]
    if build_main([*options, str(staged), str(out)]):
        raise UserError("the book has faulty pages; they are named above")


if __name__ == "__main__":
    main()
