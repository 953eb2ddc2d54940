"""The lessons, and what is in them: sections, prose, figures, links."""

from __future__ import annotations

import re
from pathlib import Path

from common.errors import UserError

ROOT = Path(__file__).resolve().parents[2]

LESSONS = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("chapters/*/README.md"))
"""The lessons, in reading order. They have the form which tests/test_lessons.py holds them to."""
PARTS = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("chapters/*/PART*.md"))
"""Further parts of lessons, shorter: `PART2.md` follows its chapter's lesson."""
PAGES = sorted([*LESSONS, *PARTS], key=lambda page: (page.split("/")[1], page in PARTS, page))
"""Lessons and their further parts, in reading order."""
ONWARD = "chapters/11_transformer/ONWARD.md"
"""The page after the last lesson. It has cells, but not the form of a lesson."""
KIT = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("book/instructor/*.md"))
"""The pages of the instructor's kit, some of which have cells; none in the students' edition."""

FENCE = re.compile(r"^```.*?^```\n?", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
LIVE = re.compile(r"^<!-- live:(.*?)-->\n", re.MULTILINE)
"""A line that puts a live figure on the site (book/live); nothing elsewhere."""
MATHS = re.compile(r"\$\$.*?\$\$|\$[^$\n]+(?:\n[^$\n]+)?\$", re.DOTALL)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def read(lesson: str) -> str:
    return (ROOT / lesson).read_text(encoding="utf-8")


def sections(text: str) -> dict[str, str]:
    """The text under each heading of the second level, by the heading."""
    parts = re.split(r"^## (.+)\n", FENCE.sub(lambda found: found[0].replace("\n## ", "\n ## "), text), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def prose(text: str) -> str:
    """What is read as English: no code, formulas, comments, HTML tags, picture and link addresses."""
    text = MATHS.sub(" ", COMMENT.sub("", FENCE.sub("", text)))
    text = re.sub(r"`[^`]*`", " ", LINK.sub(r"\2", text))
    return re.sub(r"</?[a-z]+[^>]*>", " ", text)


def anchors(text: str) -> set[str]:
    """The names by which a code host links to the headings."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-") for heading in headings}


def figures(text: str) -> list[tuple[str, str, str]]:
    """Every picture: its alternative text, its address, and the caption, a paragraph in stars below it."""
    found = re.findall(r"^!\[([^\]]*)\]\(([^)]+)\)\n\n(?:\*(?!\*)((?:[^\n]+\n)+?)\n)?", LIVE.sub("", text), re.M)
    return [(alternative, address, caption.strip().strip("*")) for alternative, address, caption in found]


def make_folder(out: Path) -> None:
    """Make the folder for pages made of lessons, where it is not there yet. Raises `UserError` where it cannot be."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise UserError(f"--out {out}: is a file; name a folder") from None
    except OSError as error:
        raise UserError(f"--out {out}: {error.strerror}; name another folder") from None
