"""The glossary and the table of notation, and whether lessons define a term before they use it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from book.lessons import read, sections

HEAD = "Where we are"
"""The section that may name what the lesson is going to define."""


class Term(NamedTuple):
    name: str
    forms: tuple[str, ...]
    """The name, and how else it is written."""
    lesson: str
    """The lesson that defines it, by its path from the course's folder."""
    anchor: str


def glossary(text: str | None = None) -> list[Term]:
    """The terms of book/glossary.md, or of the text of such a file."""
    rows = re.findall(r"^\| ([^|]+) \| ([^|]*)\|[^|]+\| \[\d+\]\(\.\./([^)#]+)#([^)]+)\) \|$",
                      text or read("book/glossary.md"), re.MULTILINE)  # fmt: skip
    also = [tuple(form.strip() for form in row[1].split(",") if form.strip()) for row in rows]
    return [Term(row[0], (row[0], *forms), row[2], row[3]) for row, forms in zip(rows, also, strict=True)]


def readable(text: str) -> str:
    """A lesson as read from its top, bold marks kept: no code, formulas, addresses, headings, and not its head."""
    head = sections(text).get(HEAD, "")
    text = re.sub(r"<!--.*?-->|^```.*?^```", "", text.replace(head, ""), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^#+ .*$", "", text, flags=re.MULTILINE)
    return re.sub(r"\]\([^)]*\)|`[^`]*`", " ", text)


def too_early(lessons: Mapping[str, str], terms: list[Term]) -> Iterator[str]:
    """A line for each term whose first use, in reading order, is not its definition in bold.

    lessons: their paths and texts, in reading order.
    """
    for term in terms:
        any_form = "|".join(re.escape(form).replace(r"\ ", r"\s+") for form in sorted(term.forms, key=len)[::-1])
        used = re.compile(rf"(?<![\w-])(\*\*)?(?:{any_form})(\*\*)?(?![\w-])", re.IGNORECASE)
        for lesson, text in lessons.items():
            first = used.search(readable(text))
            if first is None:
                continue
            if lesson != term.lesson or not (first[1] and first[2]):
                line = " ".join(readable(text)[max(first.start() - 50, 0) : first.end() + 30].split())
                yield f"{lesson}: {term.name!r} is used before it is defined: ... {line} ..."
            break
        else:
            yield f"no lesson defines {term.name!r}"
