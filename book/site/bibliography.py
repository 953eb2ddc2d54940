"""The page of everything that the lessons and the pages of results name to read: each work once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from book.lessons import sections
from book.site.edition import Edition, document
from common.errors import UserError

HEADINGS = ("Further reading", "Sources")
ITEM = re.compile(r"^- (.+(?:\n  .+)*)", re.MULTILINE)
WORK = re.compile(r"(?P<authors>[^*]+?): \*(?P<title>[^*]+)\*(?P<where>.*?)(?:\. (?P<note>.*))?", re.DOTALL)


class Mention(NamedTuple):
    """What one page says of a work; a note in Markdown, without links."""

    page: str
    authors: str
    title: str
    where: str
    note: str


def mentions(page: str, text: str) -> Iterator[Mention]:
    """The items of the page's lists of readings. Raises `UserError` for one that names no work."""
    for heading in HEADINGS:
        for item in ITEM.findall(sections(text).get(heading, "")):
            item = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(item.split()))
            found = WORK.fullmatch(item)
            if found is None:
                raise UserError(f"{page}: no 'Authors: *Title*' in {item!r}")
            yield Mention(page, found["authors"], found["title"], found["where"].strip(" ,."), found["note"] or "")


def surname(authors: str) -> str:
    """What the work is sorted by: the first author's last name."""
    return re.split(r",| and | et al", authors)[0].split()[-1].lower()


def bibliography(edition: Edition) -> str:
    """The Markdown of the page."""
    works = defaultdict(list)
    for page in edition.pages:
        if page.startswith("chapters/"):
            for one in mentions(page, (edition.root / page).read_text(encoding="utf-8")):
                works[re.sub(r"\W+", " ", one.title.lower()).strip()].append(one)
    lines = [
        "# Bibliography",
        "What lessons and pages of results name to read, each work once, by its first author. Below each: which page "
        "names it, and what for.",
    ]
    for found in sorted(works.values(), key=lambda found: (surname(found[0].authors), found[0].title)):
        first = max(found, key=lambda one: len(one.authors + one.where))
        lines.append(f"**{first.authors}**: *{first.title}*" + f", {first.where}" * bool(first.where) + ".")
        lines.append("\n".join(f"- {link(one.page)}: {one.note or 'a source.'}" for one in found))
    return "\n\n".join(lines) + "\n"


def link(page: str) -> str:
    """A link to a page of a chapter: "Chapter 1", or "Chapter 1, results"."""
    _, folder, name = page.split("/")
    kind = {"README.md": "", "RESULTS.md": ", results"}.get(name, f", {name.removesuffix('.md').lower()}")
    return f"{{doc}}`Chapter {int(folder[:2])}{kind} </{document(page)}>`"
