"""The glossary and the table of notation, and whether lessons define a term before they use it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
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


def pattern(forms: Iterable[str]) -> str:
    """Any of these forms, the longest first, its words separated by any white space."""
    return "|".join(re.escape(form).replace(r"\ ", r"\s+") for form in sorted(forms, key=len)[::-1])


def longer_forms(term: Term, terms: list[Term]) -> re.Pattern | None:
    """What finds other terms that hold this one: "hidden layer" is no use of "layer". None where there are none."""
    within = re.compile(rf"(?<![\w-])(?:{pattern(term.forms)})(?![\w-])", re.IGNORECASE)
    longer = [form for other in terms if other is not term for form in other.forms if within.search(form)]
    return re.compile(rf"(?<![\w-])(?:{pattern(longer)})(?![\w-])", re.IGNORECASE) if longer else None


def too_early(lessons: Mapping[str, str], terms: list[Term]) -> Iterator[str]:
    """A line for each term whose first use, in reading order, is not its definition in bold.

    lessons: their paths and texts, in reading order.
    """
    for term in terms:
        used = re.compile(rf"(?<![\w-])(\*\*)?(?:{pattern(term.forms)})(\*\*)?(?![\w-])", re.IGNORECASE)
        longer = longer_forms(term, terms)
        for lesson, text in lessons.items():
            text_left = longer.sub(lambda match: "~" * len(match[0]), readable(text)) if longer else readable(text)
            first = used.search(text_left)
            if first is None:
                continue
            if lesson != term.lesson or not (first[1] and first[2]):
                line = " ".join(text_left[max(first.start() - 50, 0) : first.end() + 30].split())
                yield f"{lesson}: {term.name!r} is used before it is defined: ... {line} ..."
            break
        else:
            yield f"no lesson defines {term.name!r}"
