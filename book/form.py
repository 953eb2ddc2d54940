"""The form of a lesson: what each must have, so that a reader finds in every chapter what the last one had."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from book.blocks import EXCERPT, WORKED
from book.lessons import FENCE, LINK, ROOT, anchors, figures, prose, read, sections

SECTIONS = ("Where we are", "The data first", "Run it", "What we see", "Check yourself", "Questions to explore",
            "Summary", "Further reading")  # fmt: skip
"""The headings that every lesson has, in this order; those of its own stand between the second and the third."""
HEAD = ("**You will learn**", "**You need**", "**Time**")
FIGURES, EXAMPLES, QUESTIONS, EXCERPTS = 8, 2, 5, 2
SHARE_OF_RESULTS = 0.15
WORDS = (2000, 3300)
MEASURED = re.compile(r"\b(?:CPU (?:seconds|minutes)|tokens a second|GB\b)|\d ± \d")
"""What belongs into RESULTS.md wherever it stands."""


def problems(lesson: str, text: str) -> Iterator[str]:
    """A line for each demand that a lesson, with this path and text, does not meet."""
    found = sections(text)
    if [heading for heading in found if heading in SECTIONS] != list(SECTIONS):
        yield f"the sections {', '.join(SECTIONS)} are not all there in this order"
        return
    yield from (f"the head lacks {part}" for part in HEAD if part not in found["Where we are"])
    yield from amounts(text, found)
    yield from first_things_first(text)
    yield from in_figures(lesson, text)
    yield from dead_links(lesson, text)
    yield from unknown_flags(lesson, text)


def amounts(text: str, found: dict[str, str]) -> Iterator[str]:
    counted = {
        "worked examples": (len(WORKED.findall(text)), EXAMPLES),
        "excerpts": (len(EXCERPT.findall(text)), EXCERPTS),
        "figures": (len(figures(text)), FIGURES),
        "questions with folded answers": (len(re.findall(r"<details>", found["Check yourself"])), QUESTIONS),
        "questions to explore": (len(re.findall(r"^\d+\. ", found["Questions to explore"], re.M)), 3),
        "lines of summary": (len(re.findall(r"^- ", found["Summary"], re.M)), 4),
        "annotated readings": (len(re.findall(r"^- ", found["Further reading"], re.M)), 3),
        "algorithms in boxes": (len(re.findall(r"^> \*\*Algorithm", text, re.M)), 1),
    }
    yield from (f"{have} {name}, {least} at least" for name, (have, least) in counted.items() if have < least)
    results = len(lines(found["What we see"]))
    if results > SHARE_OF_RESULTS * len(lines(text)):
        yield f"{results} of {len(lines(text))} lines report results"
    yield from (f"a measurement outside RESULTS.md: {one}" for one in MEASURED.findall(text))
    words = count_words(text)
    if not WORDS[0] <= words <= WORDS[1]:
        yield f"{words} words, {WORDS[0]} to {WORDS[1]} wanted"


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def count_words(text: str) -> int:
    """The words of a reading: without code, formulas, tables, alternative texts, folded answers and the two lists for
    later (questions to explore, further reading)."""
    found = sections(text)
    for heading in ("Questions to explore", "Further reading"):
        text = text.replace(found[heading], "")
    text = re.sub(r"<details>[\s\S]*?</details>|^!\[[^\]]*\]|^\|.*$", "", text, flags=re.MULTILINE)
    return len(re.findall(r"[A-Za-z][\w'-]*", prose(text)))


def first_things_first(text: str) -> Iterator[str]:
    """An example comes before the first equation on a line of its own."""
    example, equation = WORKED.search(text), text.find("```math")
    if equation < 0:
        yield "no equation"
    elif example and example.start() > equation:
        yield "an equation comes before the first worked example"


def in_figures(lesson: str, text: str) -> Iterator[str]:
    shown = figures(text)
    for alternative, address, caption in shown:
        if len(alternative.split()) < 5 or len(caption.split()) < 5:
            yield f"{address} lacks a caption or alternative text"
    folder = (ROOT / lesson).parent
    drawn = {f"figures/{path.name}" for path in folder.glob("figures/*.svg")}
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


def unknown_flags(lesson: str, text: str) -> Iterator[str]:
    """Flags that no program has: those of the lesson's chapter, of tools and of data are looked through."""
    known = flags_of((ROOT / lesson).parent) | flags_of(ROOT / "tools") | flags_of(ROOT / "data")
    known |= flags_of(ROOT / "common" / "programs") | flags_of(ROOT / "common" / "training")
    named = set(re.findall(r"(?<![\w-])--([a-z][a-z-]*)", re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)))
    yield from (f"no program has --{flag}" for flag in sorted(named - known))


@cache
def flags_of(folder: Path) -> frozenset[str]:
    """Every flag of the programs in a folder: those added by name, and the fields of their settings."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py")))
    fields = re.findall(r"^    (\w+): [^=\n]+ = (?:setting|field)\(", code, re.MULTILINE)
    return frozenset([*re.findall(r'"--([a-z][a-z-]*)"', code), *(name.replace("_", "-") for name in fields)])
