"""A deck as text: Markdown with a slide below each heading of the second level, and marks in comments.

<!-- cell: 06 weights -->            the cell of chapter 6's lesson that gives this name a value, and its output
<!-- output: 06 weights -->          its output alone; 06.2 in place of 06 is part 2 of the chapter
<!-- excerpt: chapters/01_ngram_lm/tuning.py tune_weight 2-7 -->   lines of a function, as lessons show them
<!-- table: 05 decided by | 1-3 -->  the lesson's table whose first heading begins so; columns of it, counted from 1
<!-- notes 3 min: what to say -->    what the speaker sees, with the time it takes

Figures stand as in a lesson, `![what is to be seen](../../../chapters/.../figures/name.svg)`, and are drawn again for
the room that the slide's text leaves (`figures`). In the line before, <!-- figure: beside --> puts one to the left of
the text, <!-- figure: panels 5,6,8 --> shows some of its panels, <!-- figure: heights 0-6 --> a part of a diagram.

Nothing is typed in that code computes: cells and tables are taken from their lesson, and numbers in the text are marked
as in a lesson, with expressions of the chapter's names.
"""

from __future__ import annotations

import re
from pathlib import Path

from book.blocks import source
from book.lessons import COMMENT, LINK, PAGES, ROOT, read
from book.lessons.cells import assigned, pieces
from book.slides.figures import Shown, picture
from common.errors import UserError

SOURCES = ROOT / "book" / "instructor" / "slides"
SHOWN = re.compile(r"<!-- excerpt: (\S+) (\S+)(?: (\d+)-(\d+))? -->")
TABLE = re.compile(r"<!-- table: (\d\d(?:\.\d)?) ([^|>]+?)(?: \| (\d+)-(\d+))? -->")
CELL = re.compile(r"<!-- (cell|output): (\d\d(?:\.\d)?) (\w+) -->")
FIGURE = re.compile(r"(?:<!-- figure: ([^>]+) -->\n)?^!\[([^\]]*)\]\(([^)]+\.svg)\)$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"^\$\$.*?\$\$$", re.MULTILINE | re.DOTALL)
HEIGHTS = {"|": 33, "#": 75}
"""Points of height of a row of a table, and of the title of a deck; another line has 40."""
ROOMY_TEXT, ROOMY = 200, 260
"""Points of height of a text alone, and of one with code or a table, that is set in larger letters."""
ROOMY_LINE = 70
"""Characters of a line of code, a row or a formula that has room then."""
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
    return re.sub(f"(?!<!-- figure:){COMMENT.pattern}", "", text, flags=COMMENT.flags)


def height_of(text: str) -> float:
    """About how many points of a slide a text takes, without its heading, notes and figure."""
    text = FIGURE.sub("", re.sub(r"^```{revealjs-notes}.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)).strip()
    code = sum(16 * block.count("\n") + 24 for block in CODE.findall(text))
    formulas = sum(90 + 30 * block.count(r"\\") for block in FORMULA.findall(text))
    lines = [line for line in FORMULA.sub("", CODE.sub("", text)).splitlines() if line and line[:3] != "## "]
    return code + formulas + sum(HEIGHTS.get(line[0], 40) + 31 * (len(line) // 75) for line in lines)


def roomy(slide: str) -> str:
    """A slide with little text in larger letters; others as they are."""
    match = re.fullmatch(r"(## [^\n]+\n)(.*?)(^```{revealjs-notes}.*)", slide, re.MULTILINE | re.DOTALL)
    if match is None or "![" in slide:
        return slide
    heading, text, notes = match.groups()
    unbroken = [line for block in CODE.findall(text) for line in block.splitlines()]
    unbroken += [*FORMULA.findall(text), *re.findall(r"^\|.*", text, re.MULTILINE)]
    if height_of(slide) > (ROOMY if unbroken else ROOMY_TEXT) or max(map(len, unbroken), default=0) > ROOMY_LINE:
        return slide
    return f"{heading}\n:::{{container}} roomy\n{text}:::\n\n{notes}"


def stage(deck: Path, folder: Path) -> None:
    """Write the deck for Sphinx into `folder`, its figures beside it; links elsewhere become plain text."""
    folder.mkdir(parents=True, exist_ok=True)

    def finished(number: int, slide: str) -> str:
        return roomy(FIGURE.sub(lambda match: placed(number, slide, *match.groups()), slide))

    def placed(number: int, slide: str, how: str | None, words: str, target: str) -> str:
        path = (deck.parent / target).resolve()
        if not path.is_file():
            raise UserError(f"{deck}: there is no figure {target}")
        shown = Shown.read(how or "")
        name = f"{number}-{path.name}"
        (folder / name).write_bytes(picture(path, shown, height_of(slide)))
        return f"![{words}]({name})" + ("{.beside}" if shown.beside else "")

    def unlinked(match: re.Match) -> str:
        mark, words, target = match.groups()
        return match[0] if mark or target.startswith("https://") else words

    parts = re.split(r"^(?=## )", filled_in(deck.read_text("utf-8")), flags=re.MULTILINE)
    text = LINK.sub(unlinked, "".join(finished(number, slide) for number, slide in enumerate(parts)))
    (folder / "index.md").write_text(text, encoding="utf-8", newline="\n")
