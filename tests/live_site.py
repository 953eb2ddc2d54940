"""A site of one page a live figure, built as the book is, and opened in a browser."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from book.live.figures import FIGURES
from book.site.__main__ import NEEDED, build_pages
from book.site.edition import Edition
from book.site.pages import adapted
from tests.browser import Browser, open_page

MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
needs_book = pytest.mark.skipif(bool(MISSING), reason=f"the book's packages are not installed: {MISSING}")
BUILT = [
    pytest.mark.slow,
    needs_book,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning"),
]
"""The marks of tests for which pages are built."""
ALL = [(name, chapter) for name, figure in FIGURES.items() for chapter in figure.chapters]


def page_name(name: str, chapter: str) -> str:
    return f"chapters/{name}-{chapter}"


def build_site(folder: Path, figures: list[tuple[str, str]]) -> Path:
    """The site with a page for each figure, and a first page without one."""
    staged, out = folder / "pages", folder / "site"
    names = [page_name(*figure) for figure in figures]
    write(staged / "index.md", "# All\n\n```{toctree}\n" + "\n".join(names) + "\n```\n")
    for figure, name in zip(figures, names, strict=True):
        text = f"# {figure[0]}\n\nBefore it.\n<!-- live: {figure[0]} {figure[1]} -->\nBehind it.\n"
        write(staged / f"{name}.md", adapted(Edition(), f"{name}.md", text))
    build_pages(staged, out)
    return out


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@contextmanager
def open_site(folder: Path, figures: list[tuple[str, str]]) -> Iterator[LiveSite]:
    site = build_site(folder, figures)
    with open_page(None, folder) as browser:
        for domain in ("Page", "Runtime", "Log", "Network"):
            browser.call(f"{domain}.enable")
        yield LiveSite(site, browser)


class LiveSite:
    """The built pages, and the browser that shows one of them."""

    def __init__(self, folder: Path, browser: Browser):
        self.folder, self.browser = folder, browser

    def show(self, name: str, chapter: str, width: int = 1000, dark: bool = False) -> Browser:
        """Open the page of a figure."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        mobile = width < 500
        self.browser.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=mobile
        )
        self.browser.call("Emulation.setEmulatedMedia", features=[scheme])
        self.browser.events.clear()
        self.browser.go((self.folder / f"{page_name(name, chapter)}.html").as_uri())
        self.browser.wait_until("document.querySelector('div.live').children.length > 0")
        return self.browser


def texts(page: Browser, selector: str) -> list[str]:
    return page.evaluate(f"[...document.querySelectorAll({selector!r})].map(node => node.textContent)")


def type_into(page: Browser, selector: str, text: str) -> None:
    """Replace what a field contains, as a user types."""
    page.evaluate(f"document.querySelector({selector!r}).focus(); document.querySelector({selector!r}).select()")
    page.call("Input.insertText", text=text)


def drag(page: Browser, name: str, value: float) -> None:
    """Move the slider of this name: what the browser does at each step of a drag."""
    field = f"document.querySelector('div.live input[aria-label=\"{name}\"]')"
    page.evaluate(f"{field}.value = {value}; {field}.dispatchEvent(new Event('input', {{bubbles: true}}))")
