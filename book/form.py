"""The form of a lesson: what each must have, so that a reader finds in every chapter what the last one had."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from book.blocks import EXCERPT
from book.lessons import FENCE, LINK, LIVE, PARTS, ROOT, anchors, figures, prose, read, sections
from book.lessons.cells import Piece, pieces

HEAD = ("**You will learn**", "**You need**", "**Time**")
SHARE_OF_RESULTS = 0.15
PAUSE = "*A good place for a pause.*\n"
SITTING = 1900
"""The most words between two pauses: 25 minutes for a reader who takes in figures, tables and formulas, too."""
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
    (2000, 3300), cells=2, excerpts=2, figures=8, questions=5, explore=3, summary=4, readings=3, algorithms=1,
)  # fmt: skip
PART = Form(
    ("Where we are", "Run it", "What we see", "Check yourself", "Summary", "Further reading"),
    (700, 2400), cells=1, excerpts=1, figures=4, questions=3, explore=0, summary=3, readings=2, algorithms=0,
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
    results, every = (len(lines(LIVE.sub("", HIDDEN_CELL.sub("", part)))) for part in (found["What we see"], text))
    if results > SHARE_OF_RESULTS * every:
        yield f"{results} of {every} lines report results"
    yield from (f"a measurement outside RESULTS.md: {one}" for one in MEASURED.findall(text))
    words = count_words(text)
    least, most = form.words
    if not least <= words <= most:
        yield f"{words} words, {least} to {most} wanted"
    yield from (f"{one} words without a pause, {SITTING} at most" for one in sittings(text) if one > SITTING)


def cells(text: str) -> list[Piece]:
    """The cells that a reader sees."""
    return [piece for piece in pieces(text) if piece.kind == "cell"]


def sittings(text: str) -> list[int]:
    """The words of each part of a reading, from pause to pause: without code, formulas, tables, alternative texts,
    folded answers and the two lists for later (questions to explore, further reading)."""
    found = sections(text)
    for heading in ("Questions to explore", "Further reading"):
        text = text.replace(found.get(heading, ""), "")
    text = re.sub(r"<details>[\s\S]*?</details>|^!\[[^\]]*\]\([^)]*\)|^\|.*$", "", text, flags=re.MULTILINE)
    return [len(re.findall(r"[A-Za-z][\w'-]*", prose(part))) for part in text.split(PAUSE)]


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def count_words(text: str) -> int:
    """The words of all of them."""
    return sum(sittings(text))


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
