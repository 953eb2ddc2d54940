"""The chapters of the printed book: the site's pages without those that are only of use beside the code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from book.lessons import LIVE
from book.site.bibliography import bibliography
from book.site.edition import Edition, document
from book.site.equations import PAGE, equations_page
from book.site.exercises import exercise_pages
from book.site.pages import adapted
from book.site.sources import PROJECT
from book.site.staging import PICTURES, of_chapter, write

FIRST = ("README.md", "book/using.md")
LAST = ("RESULTS.md", "SPEED.md", "data/README.md", "book/glossary.md", "book/notation.md")
SUMMARY = re.compile(r"<summary>(.*?)</summary>")


@dataclass(frozen=True)
class PrintedEdition(Edition):
    """The pages of the printed book. Files of code have no pages in it, so links to them are text."""

    @cached_property
    def pages(self) -> list[str]:
        chapters = self.found(("chapters/*/*.md",))
        return [*FIRST, *chapters, "exercises/README.md", *LAST]

    @cached_property
    def code(self) -> list[str]:
        return []


def stage(edition: PrintedEdition, folder: Path) -> list[str]:
    """Write the pages and their pictures into a folder of its own; return the names of the pages, in their order."""
    texts = {document(path): printed(edition, path) for path in edition.pages}
    texts["introduction"] = texts.pop("index")
    texts |= exercise_pages(edition) | {PAGE: equations_page(edition), "bibliography": bibliography(edition)}
    chapters = [name for name in texts if re.fullmatch(r"chapters/\d\d_\w+/index", name)]
    lessons = [name for chapter in chapters for name in (chapter, *of_chapter(chapter, list(texts)))]
    first = ["introduction", document(FIRST[1]), "exercises/index"]
    order = [*first, *lessons, *(name for name in texts if name not in {*first, *lessons})]
    listed = "\n".join(f"- {{doc}}`/{name}`" for name in order)
    texts["index"] = f"# {PROJECT}\n\n{listed}\n\n```{{toctree}}\n:hidden:\n" + "\n".join(order) + "\n```\n"
    written = {write(folder / f"{name}.md", text.encode()) for name, text in texts.items()}
    pictures = {path for pattern in PICTURES for path in edition.root.glob(pattern)}
    written |= {write(folder / path.relative_to(edition.root), path.read_bytes()) for path in pictures}
    for path in set(folder.glob("**/*.*")) - written:
        path.unlink()
    return order


def printed(edition: PrintedEdition, path: str) -> str:
    """A page for paper: folded answers are unfolded, and the picture stands where the site has a live figure."""
    text = adapted(edition, path, LIVE.sub("", (edition.root / path).read_text("utf-8")))
    text = text.replace("<details>", '<div class="answer">').replace("</details>", "</div>")
    return SUMMARY.sub(r'<p class="summary">\1</p>', text)
