"""The folder that Sphinx reads: every page of the edition, adapted, those made of code, figures, and notebooks."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from book.site.api import api_pages
from book.site.bibliography import bibliography
from book.site.edition import Edition, document
from book.site.equations import PAGE, equations_page
from book.site.exercises import exercise_pages
from book.site.pages import adapted
from book.site.sources import code_index

PICTURES = ("*.png", "chapters/**/*.png", "chapters/**/*.svg", "book/**/*.svg", "book/**/*.png", "tools/**/*.svg",
            "data/**/*.svg", "data/**/*.png")  # fmt: skip
LABS = "build/labs"
CHAPTER = re.compile(r"chapters/((\d\d)_\w+)/index")


def stage(edition: Edition, folder: Path) -> list[str]:
    """Write everything into a new folder, and return the names of the documents."""
    shutil.rmtree(folder, ignore_errors=True)
    documents = {
        document(path): adapted(edition, path, (edition.root / path).read_text("utf-8")) for path in edition.pages
    }
    documents |= exercise_pages(edition) | api_pages(edition)
    documents |= {
        "bibliography": bibliography(edition),
        PAGE: equations_page(edition),
        "code/index": code_index(edition),
    }
    labs = stage_labs(edition, folder)
    for name, tree in navigation([*documents, *labs]).items():
        documents[name] += tree
    for name, text in documents.items():
        write(folder / f"{name}.md", text)
    for pattern in PICTURES:
        for path in edition.root.glob(pattern):
            copy(path, folder / path.relative_to(edition.root))
    return [*documents, *labs]


def stage_labs(edition: Edition, folder: Path) -> list[str]:
    """Copy the notebooks that `python -m book.labs` has made, with their outputs; the site does without them as well."""
    notebooks = sorted((edition.root / LABS).glob("ch*_lab.ipynb"))
    for path in notebooks:
        copy(path, folder / "labs" / path.name)
    return [f"labs/{path.stem}" for path in notebooks]


def navigation(documents: list[str]) -> dict[str, str]:
    """What is added to pages so that each document has one place in the contents: trees, by the page that gets them."""
    chapters = [name for name in documents if CHAPTER.fullmatch(name)]
    below = {chapter: of_chapter(chapter, documents) for chapter in chapters}
    placed = {name for names in below.values() for name in names}
    rest = [name for name in documents if name not in placed and name not in chapters]

    def of(*starts: str) -> list[str]:
        return [
            name
            for start in starts
            for name in rest
            if name == start or (start.endswith("/") and name.startswith(start))
        ]

    captions = {
        "Lessons": chapters,
        "Practice": of("exercises/index", "book/labs/index", "labs/", "data/index"),
        "Results": of("RESULTS", "SPEED"),
        "Reference": of("book/glossary", "book/notation", PAGE, "bibliography", "api/index", "code/index"),
        "Contributing": of("CONTRIBUTING", "tools/dynet/index", "book/site/index"),
        "For instructors": of("book/instructor/", "solutions/"),
    }
    shown = {name for names in captions.values() for name in names}
    captions["More"] = [name for name in rest if name not in shown | {"index"} and not name.startswith("api/")]
    trees = {"index": "".join(tree(names, caption) for caption, names in captions.items() if names)}
    return trees | {chapter: tree(names) for chapter, names in below.items() if names}


def of_chapter(chapter: str, documents: list[str]) -> list[str]:
    """What belongs to a chapter beside its lesson: laboratory, exercises, results."""
    name, number = CHAPTER.fullmatch(chapter).groups()
    beside = [one for one in documents if one.startswith(f"chapters/{name}/") and one != chapter]
    return [one for one in (f"labs/ch{number}_lab", f"exercises/ch{name}") if one in documents] + beside


def tree(names: list[str], caption: str = "") -> str:
    head = "\n```{toctree}\n:hidden:\n" + f":caption: {caption}\n" * bool(caption)
    return head + "\n".join(f"/{name}" for name in names) + "\n```\n"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def copy(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)
