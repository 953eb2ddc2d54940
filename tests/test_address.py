"""The addresses of the course: one setting each, written wherever it is needed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from book.address import PLACES, UNSET, publish, setting
from book.lessons import ROOT
from common.errors import UserError
from tests.programs import run_python

ADDRESS = "https://example.org/team/course"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """The files that have an address, in a folder of their own."""
    for path in ("pyproject.toml", *PLACES):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    return tmp_path


def test_every_place_has_the_address_or_says_that_there_is_none() -> None:
    for path in PLACES:
        assert (setting("repository") or UNSET) in (ROOT / path).read_text("utf-8"), path


def test_an_address_is_set_everywhere_and_taken_back(course: Path) -> None:
    before = {path: (course / path).read_text("utf-8") for path in ("pyproject.toml", *PLACES)}
    assert publish("repository", ADDRESS + ".git", course) == ["pyproject.toml", *PLACES]
    assert setting("repository", course) == ADDRESS and setting("site", course) == ""
    assert all(ADDRESS in (course / path).read_text("utf-8") for path in PLACES)
    assert publish("repository", ADDRESS, course) == []
    assert publish("site", "https://example.org/book/", course) == ["pyproject.toml"]
    assert setting("site", course) == "https://example.org/book"
    publish("site", "", course)
    publish("repository", "", course)
    assert {path: (course / path).read_text("utf-8") for path in before} == before


def test_what_is_no_address_is_refused(course: Path) -> None:
    with pytest.raises(UserError, match="--repository team/course: not an address; write one such as https://"):
        publish("repository", "team/course", course)
    (course / "README.md").write_text("nothing\n")
    with pytest.raises(UserError, match=f"README.md: does not contain {UNSET}; put it back"):
        publish("repository", ADDRESS, course)


def test_the_program_shows_what_is_set() -> None:
    done = run_python("-m", "book.address")
    assert done.returncode == 0 and done.stdout.startswith("repository: ") and "site: " in done.stdout
