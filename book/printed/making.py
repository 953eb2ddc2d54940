"""Making the printed book: Sphinx makes an EPUB of the staged pages, or one page, which a browser prints."""

from __future__ import annotations

import shutil
from pathlib import Path

from book.packages import check_packages
from book.printed.pages import PrintedEdition, stage
from book.slides.printing import need_browser, print_page
from common.errors import UserError

NEEDED = ("sphinx", "myst_nb", "sphinx-mathjax-offline")


def make_pdf(folder: Path) -> Path:
    """Write book.pdf into the folder. Raises `UserError` for a bad page, and where something is not installed."""
    browser = need_browser()
    page = build(folder, "singlehtml") / "index.html"
    print_page(browser, page.as_uri(), folder / "book.pdf")
    return folder / "book.pdf"


def make_epub(folder: Path) -> Path:
    """Write book.epub into the folder. Raises `UserError` as `make_pdf` does."""
    need_browser()
    return Path(shutil.copy(build(folder, "epub") / "book.epub", folder))


def build(folder: Path, builder: str) -> Path:
    """Let one of Sphinx's builders work on the staged pages; the folder of what it made."""
    check_packages("book", NEEDED)
    from sphinx.cmd.build import build_main  # an extra: only the book needs it

    staged, built = (folder.resolve() / name for name in ("pages", builder))
    stage(PrintedEdition(), staged)
    shutil.rmtree(built, ignore_errors=True)  # an EPUB contains every file that lies there
    options = ["-q", "-W", "--keep-going", "-c", str(Path(__file__).parent), "-d", str(staged.with_name("read"))]
    if build_main([*options, "-b", builder, str(staged), str(built)]):
        raise UserError("the printed book has faulty pages; they are named above")
    return built
