"""The page of what the three sources contain: every system, table row, figure, data set and exercise, with its place.

The rows are in coverage.toml. A row without a place is not in the course, and its note says why and what it is.
"""

from __future__ import annotations

import re
from pathlib import Path

from book.lessons import LINK, anchors
from book.site.edition import Edition
from book.site.pages import new_link, outside_code
from solutions.sets import tomllib

PAGE = "coverage"
TABLE = Path(__file__).with_suffix(".toml")
PAGES = {"README": "lesson", "RESULTS": "results", "PART2": "part 2", "PART3": "part 3"}
CHAPTER_PAGE = re.compile(r"chapters/(\d\d)_\w+/(README|RESULTS|PART\d)\.md")


def read_coverage() -> dict[str, dict]:
    """The table: of each source its title and its groups, each with a title and rows."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def coverage_page(edition: Edition) -> str:
    """The Markdown of the page."""
    sources = read_coverage()
    rows = [
        row for source in sources.values() for name, group in source.items() if name != "title" for row in group["rows"]
    ]
    absent = sum("where" not in row for row in rows)
    lines = [
        "---\ntocdepth: 2\n---\n# What the sources contain",
        f"Every system, table row, figure, data set and exercise of the three sources, {len(rows)} in all, with its "
        f"place in the course. {absent} are not in the course; their notes explain what they are, and why. The "
        "numbered equations have [a page of their own](equations.md).",
    ]
    for source in sources.values():
        lines.append(f"## {source['title']}")
        for name, group in source.items():
            if name != "title":
                lines += [f"### {group['title']}", group_table(edition, group["rows"])]
    return "\n\n".join(lines) + "\n"


def group_table(edition: Edition, rows: list[dict]) -> str:
    """A table of rows: name, what it is, the places of the course, and the note."""
    lines = ["| | what | where | |", "|---|---|---|---|"]
    for row in rows:
        places = ", ".join(f"[{label(edition.root, place)}]({place})" for place in row.get("where", [])) or "not here"
        lines.append(f"| {row['name']} | {row['what']} | {places} | {row.get('note', '')} |")
    return outside_code("\n".join(lines), lambda text: LINK.sub(lambda match: new_link(edition, PAGE, match), text))


def label(root: Path, place: str) -> str:
    """How a place is called: `lesson 6, In general`, `chapters/06_attentive_lm/model.py` or `figure causal_mask`."""
    path, _, anchor = place.partition("#")
    match = CHAPTER_PAGE.fullmatch(path)
    if match is None:
        return f"figure {Path(path).stem}" if path.endswith(".svg") else path
    name = f"{PAGES[match[2]]} {'of ' * match[2].startswith('PART')}{int(match[1])}"
    headings = re.findall(r"^#+ (.+)$", (root / path).read_text("utf-8"), re.MULTILINE)
    return ", ".join([name, *(heading for heading in headings if anchors(f"# {heading}") == {anchor})][:2])
