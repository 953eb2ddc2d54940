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
            match = WORK.fullmatch(item)
            if match is None:
                raise UserError(f"{page}: no 'Authors: *Title*' in {item!r}")
            yield Mention(page, match["authors"], match["title"], match["where"].strip(" ,."), match["note"] or "")


def surname(authors: str) -> str:
    """What the work is sorted by: the first author's last name."""
    return re.split(r",| and | et al", authors)[0].split()[-1].lower()


def bibliography(edition: Edition) -> str:
    """The Markdown of the page."""
    works = defaultdict(list)
    for page in edition.pages:
        if page.startswith("chapters/"):
            for mention in mentions(page, (edition.root / page).read_text(encoding="utf-8")):
                works[re.sub(r"\W+", " ", mention.title.lower()).strip()].append(mention)
    lines = [
        "# Bibliography",
        "What lessons and pages of results name to read, each work once, by its first author. Below each: which page "
        "names it, and what for.",
    ]
    for same_work in sorted(works.values(), key=lambda same_work: (surname(same_work[0].authors), same_work[0].title)):
        first = max(same_work, key=lambda mention: len(mention.authors + mention.where))
        lines.append(f"**{first.authors}**: *{first.title}*" + f", {first.where}" * bool(first.where) + ".")
        lines.append("\n".join(f"- {link(mention.page)}: {mention.note or 'a source.'}" for mention in same_work))
    return "\n\n".join(lines) + "\n"


def link(page: str) -> str:
    """A link to a page of a chapter: "Chapter 1", or "Chapter 1, results"."""
    _, folder, name = page.split("/")
    kind = {"README.md": "", "RESULTS.md": ", results"}.get(name, f", {name.removesuffix('.md').lower()}")
    return f"{{doc}}`Chapter {int(folder[:2])}{kind} </{document(page)}>`"
