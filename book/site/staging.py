"""The folder that Sphinx reads: every page of the edition, adapted, those made of code, figures, and notebooks."""

from __future__ import annotations

import fnmatch
import json
import re
from pathlib import Path

from book.address import setting
from book.lessons import PAGES, ROOT
from book.site.api import api_pages
from book.site.bibliography import bibliography
from book.site.concepts import concept_map
from book.site.coverage import PAGE as COVERAGE, coverage_page
from book.site.door import with_notebook
from book.site.edition import Edition, document
from book.site.equations import PAGE, equations_page
from book.site.exercises import exercise_pages
from book.site.pages import adapted
from book.site.sources import code_index

PICTURES = ("*.png", "chapters/**/*.png", "chapters/**/*.svg", "book/**/*.svg", "book/**/*.png", "tools/**/*.svg",
            "data/**/*.svg", "data/**/*.png")  # fmt: skip
LABS = ROOT / "build" / "labs"
"""Where `python -m book.labs` writes the notebooks with their outputs. Without them the site has no labs."""
SECTIONS = {
    "Practice": ("book/using", "book/trained", "exercises/index", "book/labs/index", "book/explorer/index",
                 "data/index"),
    "Results": ("RESULTS", "SPEED"),
    "Reference": ("book/glossary", "book/notation", PAGE, COVERAGE, "bibliography", "api/index", "code/index"),
    "Contributing": ("CONTRIBUTING", "tools/dynet/index", "tools/index", "tools/cluster", "tools/campaign/index",
                     "book/site/index", "book/live/index"),
    "For instructors": ("book/instructor/*", "solutions/*"),
}  # fmt: skip
"""The contents behind the lessons: captions, and the documents below each, in their order."""
CHAPTER = re.compile(r"chapters/((\d\d)_\w+)/index")


def stage(edition: Edition, folder: Path, labs: Path = LABS) -> list[str]:
    """Write everything into a folder of its own, remove what else is in it, and return the names of the documents."""
    documents = {
        document(path): adapted(edition, path, (edition.root / path).read_text("utf-8")) for path in edition.pages
    }
    documents |= {
        document(page): with_notebook(page, documents[document(page)], setting("repository")) for page in PAGES
    }
    documents["index"] += concept_map()
    documents |= exercise_pages(edition) | api_pages(edition)
    documents |= {
        "bibliography": bibliography(edition),
        PAGE: equations_page(edition),
        COVERAGE: coverage_page(edition),
        "code/index": code_index(edition),
    }
    notebooks = {f"book/labs/{path.stem}": path for path in sorted(labs.glob("ch*_lab.ipynb"))}
    for name, tree in navigation([*documents, *notebooks]).items():
        documents[name] += tree
    written = {write(folder / f"{name}.md", text.encode()) for name, text in documents.items()}
    written |= {write(folder / f"{name}.ipynb", notebook(edition, name, path)) for name, path in notebooks.items()}
    pictures = {path for pattern in PICTURES for path in edition.root.glob(pattern)}
    written |= {write(folder / path.relative_to(edition.root), path.read_bytes()) for path in pictures}
    for path in folder.glob("**/*"):
        if path.is_file() and path not in written:
            path.unlink()
    return [*documents, *notebooks]


def notebook(edition: Edition, name: str, path: Path) -> bytes:
    """A notebook with the links of its texts adapted, and the language of its code named."""
    content = json.loads(path.read_text(encoding="utf-8"))
    content["metadata"].setdefault("language_info", {"name": "python", "pygments_lexer": "python"})
    for cell in content["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = adapted(edition, f"{name}.ipynb", "".join(cell["source"]))
    return json.dumps(content).encode()


def navigation(documents: list[str]) -> dict[str, str]:
    """What is added to pages so that each document has one place in the contents: trees, by the page that gets them."""
    chapters = [name for name in documents if CHAPTER.fullmatch(name)]
    below = {chapter: of_chapter(chapter, documents) for chapter in chapters}
    linked = {name for names in below.values() for name in names}
    rest = [name for name in documents if name not in linked and name not in chapters]
    captions = {"Lessons": chapters}
    for caption, patterns in SECTIONS.items():
        captions[caption] = [name for pattern in patterns for name in fnmatch.filter(rest, pattern)]
    listed = {name for names in captions.values() for name in names}
    captions["More"] = [name for name in rest if name not in listed | {"index"} and not name.startswith("api/")]
    trees = {"index": "".join(tree(names, caption) for caption, names in captions.items() if names)}
    return trees | {chapter: tree(names) for chapter, names in below.items() if names}


def of_chapter(chapter: str, documents: list[str]) -> list[str]:
    """What belongs to a chapter beside its lesson: its further parts, laboratory, exercises, results."""
    name, number = CHAPTER.fullmatch(chapter).groups()
    beside_it = [document for document in documents if document.startswith(f"chapters/{name}/") and document != chapter]
    parts = [document for document in beside_it if document.startswith(f"chapters/{name}/PART")]
    practice = [document for document in (f"book/labs/ch{number}_lab", f"exercises/ch{name}") if document in documents]
    return [*parts, *practice, *(document for document in beside_it if document not in parts)]


def tree(names: list[str], caption: str = "") -> str:
    head = "\n```{toctree}\n:hidden:\n" + f":caption: {caption}\n" * bool(caption)
    return head + "\n".join(f"/{name}" for name in names) + "\n```\n"


def write(path: Path, content: bytes) -> Path:
    """Write a file only if it changes, so that Sphinx reads again what is new, and nothing else."""
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return path
