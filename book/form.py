"""The form of a lesson: what each must have, so that a reader finds in every chapter what the last one had."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from book.blocks import EXCERPT
from book.lessons import COMMENT, FENCE, LINK, LIVE, MATHS, PARTS, ROOT, anchors, figures, prose, read, sections
from book.lessons.cells import Piece, pieces

HEAD = ("**You will learn**", "**You need**", "**Time**")
SHARE_OF_RESULTS = 0.15
MOST_MINUTES = 30
"""Of reading, for a lesson and for each further part: one sitting."""
WORDS_PER_MINUTE = 110
"""How fast technical prose is read."""
DISPLAYED, CODE = 10, 3
"""How many words of prose take as long as a line of a displayed formula, and as a line of code. A cell of a table and a
formula within a sentence take as long as a word."""
PREDICTIONS = 3
"""The boxes of a lesson that ask what a changed line will do."""
EXPLORED = {"01", "02", "04", "05", "06", "07", "08", "09", "10", "11"}
"""The chapters whose models the explorer shows."""
HIDDEN_CELL = re.compile(r"^<!-- run\n.*?^-->\n", re.MULTILINE | re.DOTALL)
MEASURED = re.compile(r"\b(?:CPU (?:seconds|minutes)|tokens a second|GB\b)|\d ± \d")
"""What belongs into RESULTS.md wherever it stands."""


class Form(NamedTuple):
    """What a page must have. sections: the headings that it has in this order, with those of its own between."""

    sections: tuple[str, ...]
    words: tuple[int, int]
    cells: int
    excerpts: int
    figures: int
    questions: int
    explore: int
    summary: int
    readings: int
    algorithms: int


LESSON = Form(
    ("Where we are", "The data first", "Run it", "What we see", "Check yourself", "Questions to explore", "Summary",
     "Further reading"),
    (1200, 2500), cells=2, excerpts=2, figures=8, questions=5, explore=3, summary=4, readings=3, algorithms=1,
)  # fmt: skip
PART = Form(
    ("Where we are", "Run it", "What we see", "Check yourself", "Summary", "Further reading"),
    (700, 2500), cells=1, excerpts=1, figures=4, questions=3, explore=0, summary=3, readings=2, algorithms=0,
)  # fmt: skip


def problems(lesson: str, text: str) -> Iterator[str]:
    """A line for each demand that a lesson, or a further part of one, with this path and text, does not meet."""
    found, form = sections(text), PART if lesson in PARTS else LESSON
    if [heading for heading in found if heading in form.sections] != list(form.sections):
        yield f"the sections {', '.join(form.sections)} are not all there in this order"
        return
    yield from (f"the head lacks {part}" for part in HEAD if part not in found["Where we are"])
    yield from amounts(text, found, form)
    yield from first_things_first(text)
    yield from in_figures(lesson, text)
    yield from dead_links(lesson, text)
    yield from unlinked_parts(lesson, text)
    yield from reading_time(text)
    if lesson not in PARTS:
        yield from practice(lesson, text)
    yield from unknown_flags(lesson, text)


def amounts(text: str, found: dict[str, str], form: Form) -> Iterator[str]:
    later = found.get("Questions to explore", "")
    counted = {
        "cells": (len(cells(text)), form.cells),
        "excerpts": (len(EXCERPT.findall(text)), form.excerpts),
        "figures": (len(figures(text)), form.figures),
        "questions with folded answers": (len(re.findall(r"<details>", found["Check yourself"])), form.questions),
        "questions to explore": (len(re.findall(r"^\d+\. ", later, re.M)), form.explore),
        "lines of summary": (len(re.findall(r"^- ", found["Summary"], re.M)), form.summary),
        "annotated readings": (len(re.findall(r"^- ", found["Further reading"], re.M)), form.readings),
        "algorithms in boxes": (len(re.findall(r"^> \*\*Algorithm", text, re.M)), form.algorithms),
    }
    yield from (f"{have} {name}, {least} at least" for name, (have, least) in counted.items() if have < least)
    parts = (LIVE.sub("", HIDDEN_CELL.sub("", part)) for part in (found["What we see"], text))
    results, every = (len(lines(part.splitlines())) for part in parts)
    if results > SHARE_OF_RESULTS * every:
        yield f"{results} of {every} lines report results"
    yield from (f"a measurement outside RESULTS.md: {one}" for one in MEASURED.findall(text))
    words = count_words(text)
    least, most = form.words
    if not least <= words <= most:
        yield f"{words} words, {least} to {most} wanted"


def cells(text: str) -> list[Piece]:
    """The cells that a reader sees."""
    return [piece for piece in pieces(text) if piece.kind == "cell"]


def first_path(text: str) -> str:
    """What is read from top to bottom: without comments, what is folded, and the two lists for later (questions to
    explore, further reading)."""
    found = sections(text)
    for heading in ("Questions to explore", "Further reading"):
        text = text.replace(found.get(heading, ""), "")
    return COMMENT.sub("", re.sub(r"<details>[\s\S]*?</details>", "", text))


def count_words(text: str) -> int:
    """The words of the prose, without code, formulas, tables and alternative texts."""
    text = re.sub(r"^!\[[^\]]*\]\([^)]*\)|^\|.*$", "", first_path(text), flags=re.MULTILINE)
    return len(re.findall(r"[A-Za-z][\w'-]*", prose(text)))


def minutes(text: str) -> float:
    """How long the first path takes to read: prose, tables, formulas and code."""
    path = first_path(text)
    fences, rest = [fence.splitlines()[:-1] for fence in FENCE.findall(path)], FENCE.sub("", path)
    table_cells = sum(line.count("|") - 1 for line in re.findall(r"^\|.*$", rest, re.MULTILINE))
    formulas = len(MATHS.findall(rest))
    displayed = sum(len(lines(body)) for opening, *body in fences if opening == "```math")
    code = sum(len(lines(body)) for opening, *body in fences if opening != "```math")
    return (count_words(text) + table_cells + formulas + DISPLAYED * displayed + CODE * code) / WORDS_PER_MINUTE


def reading_time(text: str) -> Iterator[str]:
    """The head tells how long reading takes, in steps of five minutes, and that is what was computed."""
    computed = 5 * math.ceil(minutes(text) / 5)
    if computed > MOST_MINUTES:
        yield f"{minutes(text):.0f} minutes of reading, {MOST_MINUTES} at most"
    if f"**Time**: reading {computed} minutes" not in text.replace("\n", " "):
        yield f"the head does not say **Time**: reading {computed} minutes"


def practice(lesson: str, text: str) -> Iterator[str]:
    """A lesson sends its reader to its lab, the explorer and its exercises where they fit, and asks for predictions."""
    number = lesson.split("/")[1][:2]
    addresses = [address.partition("#")[0] for _, _, address in LINK.findall(text)]
    lab = f"../../book/labs/ch{number}_lab.py"
    if ((ROOT / lesson).parent / lab).is_file() and lab not in addresses:
        yield "no link to the lab"
    if number in EXPLORED and "../../book/explorer/README.md" not in addresses:
        yield "no link to the explorer"
    folder = f"../../exercises/ch{lesson.split('/')[1]}/"
    linked = {address for address in addresses if address.startswith(folder)}
    files = [path for path in (ROOT / lesson).parent.glob(f"{folder}*.py") if path.name != "__init__.py"]
    if len(linked) < len(files) - 1:
        yield f"{len(linked)} of {len(files)} files of exercises are linked"
    predictions = len(re.findall(r"^> \*\*Predict, then run\.\*\*", text, re.MULTILINE))
    if predictions < PREDICTIONS:
        yield f"{predictions} boxes **Predict, then run.**, {PREDICTIONS} at least"
    twins = text.count("<summary>The same in PyTorch</summary>")
    if f"chapters/{lesson.split('/')[1]}" != "chapters/01_ngram_lm" and not twins:
        yield "no excerpt is shown in PyTorch"


def lines(body: list[str]) -> list[str]:
    return [line for line in body if line.strip()]


def first_things_first(text: str) -> Iterator[str]:
    """A cell comes before the first equation on a line of its own."""
    equation = text.find("```math")
    if equation < 0:
        yield "no equation"
    elif not cells(text[:equation]):
        yield "an equation comes before the first cell"


def in_figures(lesson: str, text: str) -> Iterator[str]:
    shown = figures(text)
    for alternative, address, caption in shown:
        if len(alternative.split()) < 5 or len(caption.split()) < 5:
            yield f"{address} lacks a caption or alternative text"
    folder = (ROOT / lesson).parent
    drawn = {f"figures/{path.name}" for path in folder.glob("figures/*.svg")}
    drawn -= {address for part in folder.glob("PART*.md") for _, address, _ in figures(part.read_text("utf-8"))}
    if lesson not in PARTS:
        yield from (f"{name} is not shown" for name in sorted(drawn - {address for _, address, _ in shown}))


def dead_links(lesson: str, text: str) -> Iterator[str]:
    for _, _, address in LINK.findall(FENCE.sub("", text)):
        path, _, anchor = address.partition("#")
        if "://" in address:
            continue
        target = ((ROOT / lesson).parent / path).resolve() if path else ROOT / lesson
        if not target.exists():
            yield f"{address} leads nowhere"
        elif anchor:
            held = anchors(text if not path else read(str(target.relative_to(ROOT))))
            if anchor not in held:
                yield f"{address}: no such heading"


def unlinked_parts(lesson: str, text: str) -> Iterator[str]:
    folder = lesson.removesuffix("README.md")
    names = [part.removeprefix(folder) for part in PARTS if part.startswith(folder) and folder != lesson]
    yield from (f"{name} is not linked" for name in names if f"]({name})" not in text)


def unknown_flags(lesson: str, text: str) -> Iterator[str]:
    """Flags that no program has: the lesson's chapter, tools, data and what all chapters share are looked through."""
    known = (
        flags_of((ROOT / lesson).parent)
        | flags_of(ROOT / "tools")
        | flags_of(ROOT / "tools" / "analyse")
        | flags_of(ROOT / "data")
    )
    known |= flags_of(ROOT / "common" / "programs") | flags_of(ROOT / "common" / "training")
    named = set(re.findall(r"(?<![\w-])--([a-z][a-z-]*)", re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)))
    yield from (f"no program has --{flag}" for flag in sorted(named - known))


@cache
def flags_of(folder: Path) -> frozenset[str]:
    """Every flag of the programs in a folder: those added by name, and the fields of their settings."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py")))
    fields = re.findall(r"^    (\w+): [^=\n]+ = (?:setting|field)\(", code, re.MULTILINE)
    return frozenset([*re.findall(r'"--([a-z][a-z-]*)"', code), *(name.replace("_", "-") for name in fields)])
