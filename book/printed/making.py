"""Making the printed book: the pages are staged beside it, then Sphinx and the browser do their work."""

from __future__ import annotations

import shutil
from pathlib import Path

from book.printed.pages import PrintedEdition, stage
from book.slides.printing import need_browser, print_page
from common.errors import UserError


def make_pdf(out: Path) -> Path:
    """Write the book as PDF into a folder. Raises `UserError` where a page is bad or no browser is installed."""
    browser = need_browser()
    page = build(out, "singlehtml") / "index.html"
    print_page(browser, page.as_uri(), out / "book.pdf")
    return out / "book.pdf"


def make_epub(out: Path) -> Path:
    """Write the book as EPUB into a folder. Raises `UserError` as `make_pdf` does."""
    need_browser()
    built = build(out, "epub")
    return Path(shutil.copy(built / "book.epub", out))


def build(out: Path, builder: str) -> Path:
    """Stage the pages, and let one of Sphinx's builders work on them; the folder of what it made."""
    from sphinx.cmd.build import build_main  # an extra: only the book needs it

    staged, built = out / "printed-pages", out / f"printed-{builder}"
    stage(PrintedEdition(), staged)
    shutil.rmtree(built, ignore_errors=True)  # an EPUB holds every file that lies there
    options = ["-q", "-W", "--keep-going", "-c", str(Path(__file__).parent), "-d", str(out / "printed-read")]
    if build_main([*options, "-b", builder, str(staged), str(built)]):
        raise UserError("the printed book has faulty pages; they are named above")
    return built
