"""How a stranger finds a page, and comes from it to its source: search words, edit links, notebooks to take away."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from book.lessons import PAGES, ROOT
from book.lessons.notebooks import as_notebook, name_of
from book.site.edition import Edition, document

HYPHENATED = re.compile(r"\b([a-z]+)-([a-z]+)\b", re.IGNORECASE)


def joined_words(split: Callable) -> Callable:
    """A search's way to find the words of a text, with those that a hyphen divides written as one word, too: whoever
    looks for "backpropagation" finds "back-propagation"."""

    def words(language: object, text: str) -> list[str]:
        return [*split(language, text), *("".join(pair) for pair in HYPHENATED.findall(text))]

    return words


def edit_link(repository: str) -> Callable:
    """What gives a page the link to its file in the repository; none where no address is set, or no file."""
    sources = {
        document(path): path for path in Edition(bool(list(Edition().root.glob("solutions/*/answers.md")))).pages
    }

    def add(app: object, page: str, template: str, context: dict, doctree: object) -> None:
        if repository and page in sources:
            context["theme_source_edit_link"] = f"{repository}/edit/main/{sources[page]}"

    return add


def with_download(page: str, text: str) -> str:
    """A lesson's page with a link to its notebook, below its title."""
    link = f'<p class="download"><a href="../../notebooks/{name_of(page)}" download>This page as a notebook</a></p>'
    title, _, rest = text.partition("\n")
    return f"{title}\n\n{link}\n{rest}"


def write_notebooks(out: Path) -> None:
    """The notebooks of lessons and their parts, beside the pages of the site; their links suit the folder runs/labs."""
    folder = out / "notebooks"
    folder.mkdir(exist_ok=True)
    for page in PAGES:
        (folder / name_of(page)).write_text(as_notebook(page, ROOT / "runs" / "labs"), encoding="utf-8")
