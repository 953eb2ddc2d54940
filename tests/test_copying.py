"""Copies of a course that is read-only can be changed."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from common.copying import copy_tree
from tests.programs import ROOT


@pytest.fixture
def read_only(tmp_path: Path):
    folder = tmp_path / "course"
    (folder / "common").mkdir(parents=True)
    (folder / "common" / "a.py").write_text("a", "utf-8")
    (folder / "common" / "left out.txt").write_text("b", "utf-8")
    paths = [folder, *folder.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield folder
    for path in paths:
        path.chmod(0o755)


def test_a_copy_can_be_changed_and_the_original_stays_as_it_is(read_only: Path, tmp_path: Path) -> None:
    copy_tree(read_only, tmp_path / "copy", ignore=shutil.ignore_patterns("*.txt"))
    paths = [tmp_path / "copy", *(tmp_path / "copy").rglob("*")]
    assert [path.name for path in paths] == ["copy", "common", "a.py"]
    assert all(path.stat().st_mode & stat.S_IWUSR for path in paths)
    assert not any(path.stat().st_mode & stat.S_IWUSR for path in [read_only, *read_only.rglob("*")])


def test_the_course_is_copied_so_everywhere() -> None:
    programs = [
        path for folder in ("solutions", "exercises", "tools", "book") for path in (ROOT / folder).rglob("*.py")
    ]
    plain = [path for path in programs if "copytree(ROOT" in path.read_text("utf-8")]
    assert not plain
