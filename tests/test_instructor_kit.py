"""The instructor's kit: its numbers are computed, its links and flags exist, and students do not get it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from book.form import flags_of
from book.lessons import KIT as PAGES, LESSONS, ROOT, read
from book.lessons.renewing import renew
from solutions.release import release

KIT = [ROOT / page for page in PAGES]
pytestmark = pytest.mark.skipif(not KIT, reason="the students' edition has no kit")


def text_of(name: str) -> str:
    return (ROOT / "book" / "instructor" / f"{name}.md").read_text("utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_numbers_are_computed(page: str) -> None:
    assert renew(page, read(page)).differences == []


def test_the_index_names_every_page() -> None:
    linked = set(re.findall(r"\]\((\w+\.md)\)", text_of("README")))
    assert linked == {page.name for page in KIT} - {"README.md"}


def test_ten_weeks_reach_every_lesson() -> None:
    rows = re.findall(r"^\| (\d+) \| (.*)", text_of("syllabus"), re.MULTILINE)
    weeks = [(int(number), rest) for number, rest in rows if "../chapters/" in rest]
    assert [number for number, _ in weeks] == list(range(1, 11))
    assert all(any(f"../../{lesson}" in rest for _, rest in weeks) for lesson in LESSONS)


def test_weights_and_rubric_add_up() -> None:
    shares = [int(share) for share in re.findall(r"^\| [^|]+ \| (\d+)% \|", text_of("syllabus"), re.MULTILINE)]
    assert len(shares) == 4 and sum(shares) == 100
    points = [int(number) for number in re.findall(r"^\| \*\*\w+\*\* \((\d+)\)", text_of("projects"), re.MULTILINE)]
    assert f"Rubric, {sum(points)} points" in text_of("projects") and len(points) == 6


@pytest.mark.parametrize("page", KIT, ids=lambda page: page.stem)
def test_flags_of_the_kit_exist(page: Path) -> None:
    folders = ["tools", "data", "book", "solutions", "exercises", "common/programs", "common/training"]
    chapters = [path.parent.relative_to(ROOT).as_posix() for path in ROOT.glob("chapters/*/settings.py")]
    flags = frozenset().union(*(flags_of(ROOT / folder) for folder in [*folders, *chapters]))
    used = set(re.findall(r"(?<![\w-])--([a-z][a-z-]*)", page.read_text("utf-8")))
    assert used - flags <= {"epoch", "help"}, "--epoch is quoted as a mistake"


def test_messages_are_those_of_the_course() -> None:
    """Every message that the page quotes stands in the code: pieces of it between what is filled in."""
    code = "".join(path.read_text("utf-8") for path in (ROOT / "common").rglob("*.py"))
    quoted = ["the course needs", "not installed for this Python", "the loss is", "lower --learning-rate"]
    quoted += ["is not the corpus that this run began with; begin a new run"]
    for piece in quoted:
        assert piece in text_of("troubleshooting") and piece in code, piece


def test_students_do_not_get_it(tmp_path: Path) -> None:
    release(tmp_path / "edition")
    assert not (tmp_path / "edition" / "book" / "instructor").exists()
    assert (tmp_path / "edition" / "book" / "glossary.md").exists()
    first = (tmp_path / "edition" / "README.md").read_text("utf-8")
    linked = [tmp_path / "edition" / target for target in re.findall(r"\]\((?!https)([^)#\s]+)", first)]
    assert len(linked) > 20 and [path for path in linked if not path.exists()] == []
