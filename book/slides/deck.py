"""A deck as text: Markdown with a slide below each heading of the second level, and marks in comments.

<!-- cell: 06 weights -->            the cell of chapter 6's lesson that gives this name a value, and its output
<!-- output: 06 weights -->          its output alone; 06.2 in place of 06 is part 2 of the chapter
<!-- excerpt: chapters/01_ngram_lm/tuning.py tune_weight 2-7 -->   lines of a function, as lessons show them
<!-- table: 05 decided by | 1-3 -->  the lesson's table whose first heading begins so; columns of it, counted from 1
<!-- notes 3 min: what to say -->    what the speaker sees, with the time it takes

Figures stand as in a lesson, `![what is to be seen](../../../chapters/.../figures/name.svg)`. Nothing is typed in that
code computes: cells and tables are taken from their lesson, and numbers in the text are marked as in a
lesson, with expressions of the chapter's names.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from book.blocks import source
from book.lessons import COMMENT, LINK, PAGES, ROOT, read
from book.lessons.cells import assigned, pieces
from common.errors import UserError

SOURCES = ROOT / "book" / "instructor" / "slides"
SHOWN = re.compile(r"<!-- excerpt: (\S+) (\S+)(?: (\d+)-(\d+))? -->")
TABLE = re.compile(r"<!-- table: (\d\d(?:\.\d)?) ([^|>]+?)(?: \| (\d+)-(\d+))? -->")
CELL = re.compile(r"<!-- (cell|output): (\d\d(?:\.\d)?) (\w+) -->")
NOTES = re.compile(r"<!-- notes (\d+) min: (.*?) -->", re.DOTALL)


def decks() -> list[Path]:
    """The sources, a file for each chapter."""
    return sorted(SOURCES.glob("ch*.md"))


def slides(text: str) -> list[tuple[str, str]]:
    """Each heading of the second level, and the text below it."""
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def minutes(text: str) -> int:
    """How long the notes say that the deck takes."""
    return sum(int(number) for number, _ in NOTES.findall(text))


def cell(kind: str, chapter: str, name: str) -> str:
    """The cell of the chapter's lesson that first gives `name` a value, with its output; kind "output": that alone.

    Raises `UserError` where there is none.
    """
    parts = list(pieces(lesson(chapter)))
    for piece, after in zip(parts, [*parts[1:], parts[-1]], strict=True):
        if piece.kind in ("cell", "hidden") and name in assigned(piece.code):
            output = after.code.strip() if after.kind == "output" else ""
            return output if kind == "output" else f"{piece.text}\n{output}"
    raise UserError(f"slides: no cell of lesson {chapter} gives {name!r} a value")


def lesson(chapter: str) -> str:
    """The text of a chapter's lesson, by its two digits, or of a part of it ("06.2"); nothing where there is none."""
    number, _, part = chapter.partition(".")
    name = f"PART{part}.md" if part else "README.md"
    pages = (page for page in PAGES if page.startswith(f"chapters/{number}_") and page.endswith(name))
    return next(map(read, pages), "")


def table(chapter: str, heading: str, first: str = "", last: str = "") -> str:
    """Columns of a table of the chapter's lesson. Raises `UserError` where no table's first heading begins so."""
    match = re.search(rf"^\| {re.escape(heading)}.*\n(?:\|.*\n)+", lesson(chapter), re.MULTILINE)
    if match is None:
        raise UserError(f"slides: lesson {chapter} has no table that begins with {heading!r}")
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in match[0].splitlines()]
    columns = slice(int(first) - 1, int(last)) if first else slice(None)
    return "\n".join(f"|{'|'.join(row[columns])}|" for row in rows)


def filled_in(text: str) -> str:
    """The deck with its cells, tables and code, and its notes as Sphinx wants them."""
    text = CELL.sub(lambda match: cell(*match.groups()), text)
    text = TABLE.sub(lambda match: table(*(part or "" for part in match.groups())), text)
    text = SHOWN.sub(lambda match: f"```python\n{source(*(part or '' for part in match.groups()))}\n```", text)
    text = re.sub(r"^```math\n(.*?)^```", r"$$\n\1$$", text, flags=re.MULTILINE | re.DOTALL)
    text = NOTES.sub(lambda match: f"```{{revealjs-notes}}\n({match[1]} min) {match[2]}\n```", text)
    return COMMENT.sub("", text)


def stage(deck: Path, folder: Path) -> None:
    """Write the deck for Sphinx into `folder`, its figures beside it; links elsewhere become plain text."""
    folder.mkdir(parents=True, exist_ok=True)

    def placed(match: re.Match) -> str:
        picture, words, target = match.groups()
        if not picture:
            return match[0] if target.startswith("https://") else words
        path = (deck.parent / target).resolve()
        if not path.is_file():
            raise UserError(f"{deck}: there is no figure {target}")
        name = f"{path.parents[1].name}-{path.name}"
        shutil.copyfile(path, folder / name)
        return f"![{words}]({name})"

    text = LINK.sub(placed, filled_in(deck.read_text("utf-8")))
    (folder / "index.md").write_text(text, encoding="utf-8", newline="\n")
