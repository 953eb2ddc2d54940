"""`python -m book.lessons [PAGE ...]` runs the cells of lessons and reports which outputs and numbers differ.

`--write` updates them in the pages. `--notebooks FOLDER` makes a notebook of each page instead. Exit status 1:
something differs; 2: a cell fails.
"""

from __future__ import annotations

import sys
from pathlib import Path

from book.lessons import KIT, ONWARD, PAGES, ROOT, make_folder, read
from book.lessons.cells import new_namespace, with_lesson
from book.lessons.renewing import Renewed, renew
from common.errors import OneLineParser, UserError, exits_cleanly
from common.files import atomic_write
from common.text.vocab import counted

DECKS = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("book/instructor/slides/ch*.md"))
"""Slides: their numbers are those of their chapter's lesson."""


@exits_cleanly
def main() -> None:
    parser = OneLineParser(prog="python -m book.lessons", description=__doc__.replace("`", ""))
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="a chapter (06) or a page's path; all by default")
    parser.add_argument("--write", action="store_true", help="update the outputs and numbers in the pages")
    parser.add_argument("--notebooks", type=Path, metavar="FOLDER", help="make notebooks of the pages in this folder")
    arguments = parser.parse_args()
    pages = [page for name in arguments.pages for page in pages_of(name)] or [*PAGES, ONWARD, *KIT, *DECKS]
    if arguments.notebooks:
        return write_notebooks([page for page in pages if page in PAGES], arguments.notebooks)
    differences = failures = 0
    for page in pages:
        try:
            differences += report(page, arguments.write)
        except UserError as error:
            print(f"error: {error}", file=sys.stderr, flush=True)
            failures += 1
    verb = "renewed" if arguments.write else "differ"
    print(f"{counted(len(pages), 'page')}: {differences} outputs and numbers {verb}, {failures} with a cell that fails")
    if failures or (differences and not arguments.write):
        sys.exit(2 if failures else 1)


def pages_of(name: str) -> list[str]:
    """The pages and slides of a chapter ("06"), or one page by its path. Raises `UserError` where there is none."""
    path = name.removeprefix("./")
    found = [
        page
        for page in (*PAGES, ONWARD, *KIT, *DECKS)
        if page == path or page.startswith(f"chapters/{name}_") or page.endswith(f"/ch{name}.md")
    ]
    if not found:
        raise UserError(f"{name}: not a lesson; name a chapter (06) or a page ({PAGES[0]})")
    return found


def renewed(page: str) -> Renewed:
    """A page as it should be; slides begin with the names of their chapter's lesson."""
    names = with_lesson(page[-5:-3]) if page in DECKS else new_namespace(page)
    return renew(page, read(page), names)


def report(page: str, write: bool) -> int:
    """Print what differs on a page, renew it if `write`, and return how many places there are."""
    result = renewed(page)
    for difference in result.differences:
        print(difference)
    if result.cells or result.numbers:
        print(f"{page}: {counted(result.cells, 'cell')}, {counted(result.numbers, 'number')} in the text", flush=True)
    if write and result.differences:
        with atomic_write(ROOT / page) as file:
            file.write(result.text)
    return len(result.differences)


def write_notebooks(pages: list[str], folder: Path) -> None:
    from book.lessons.notebooks import as_notebook, name_of

    make_folder(folder)
    for page in pages:
        with atomic_write(folder / name_of(page)) as file:
            file.write(as_notebook(page, folder))
        print(folder / name_of(page), flush=True)


if __name__ == "__main__":
    main()
