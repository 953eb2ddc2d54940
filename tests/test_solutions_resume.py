"""`python -m solutions grade --resume`: whatever a class has already is kept, and what is missing is made."""

from __future__ import annotations

import csv
import json
from argparse import Namespace
from pathlib import Path

import pytest

from common.errors import UserError
from solutions import grade as grading
from solutions.grade import Grading
from solutions.grading.execution import FAILED, PASSED
from solutions.grading.rows import Report, Table, for_autograder
from solutions.grading.running import TaskResult
from solutions.sets import choose
from tests.programs import leftovers
from tests.submissions import chapter_one, without_marks, write_submission
from tests.test_solutions_grade import call

TASKS = choose([chapter_one()], "1.1")
RIGHT = without_marks(chapter_one().answers["by_hand"])


def report(name: str, passed: bool = True) -> Report:
    return Report(name, [TaskResult(TASKS[0], PASSED if passed else FAILED)])


def points(path: Path) -> list[tuple[str, str]]:
    """Each row's student and points, in order."""
    with open(path, encoding="utf-8", newline="") as file:
        return [(row["student"], row["points"]) for row in csv.DictReader(file)]


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """The table of a class that is graded."""
    table = Table(tmp_path / "grades.csv", TASKS, resume=False)
    for name in ("adam", "=1+1", "eve"):
        table.add(report(name), "seed")
    table.finish(["adam", "=1+1", "eve"])
    return tmp_path / "grades.csv"


def grading_of(names: list[str], table: Table, gradescope: Path | None) -> Grading:
    folders = [(name, Path(name)) for name in names]
    return Grading(folders, TASKS, None, table, Namespace(gradescope=gradescope), "seed")


def test_rows_of_folders_that_are_not_named_again_stay(finished: Path) -> None:
    table = Table(finished, TASKS, resume=True)
    table.add(report("late", passed=False), "seed")
    table.finish(["late", "eve"])
    assert points(finished) == [("late", "0"), ("eve", "1"), ("adam", "1"), ("'=1+1", "1")]
    Table(finished, TASKS, resume=True).finish(["eve", "adam"])
    assert [name for name, _ in points(finished)] == ["eve", "adam", "late", "'=1+1"]
    Table(finished, TASKS, resume=False).finish(["eve"])
    assert points(finished) == [], "another grading begins with no row"


def test_a_student_who_is_graded_again_has_one_row(finished: Path) -> None:
    table = Table(finished, TASKS, resume=True)
    table.add(report("adam", passed=False), "seed")
    again = Table(finished, TASKS, resume=True)
    assert [name for name, _ in points(again.part)] == ["adam", "'=1+1", "eve"]
    again.finish(["eve"])
    assert points(finished) == [("eve", "1"), ("adam", "0"), ("'=1+1", "1")]


def test_the_file_of_a_student_is_there_before_the_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes between the two leaves a student without a row, whom --resume grades again."""
    table = Table(tmp_path / "grades.csv", TASKS, resume=False)
    grade = grading_of(["adam", "eve"], table, tmp_path / "results.json")

    def full(path: Path, value: object) -> None:
        raise UserError("no room")

    with monkeypatch.context() as patched:
        patched.setattr(grading, "write_json", full)
        with pytest.raises(UserError, match="no room"):
            grade.tell(report("adam"))
    assert points(table.part) == []
    monkeypatch.setattr(table, "add", lambda *arguments: full(table.part, arguments))
    with pytest.raises(UserError, match="no room"):
        grade.tell(report("eve"))
    assert json.loads((tmp_path / "results.eve.json").read_text(encoding="utf-8")) == for_autograder(report("eve"))


def test_who_has_a_row_and_no_file_is_graded_again(finished: Path) -> None:
    names, table = ["adam", "=1+1", "eve", "late"], Table(finished, TASKS, resume=True)
    single = finished.with_name("results.json")
    finished.with_name("results.adam.json").touch()
    assert [name for name, _ in grading_of(names, table, single).waiting] == ["=1+1", "eve", "late"]
    assert [name for name, _ in grading_of(names, table, None).waiting] == ["late"]
    assert [name for name, _ in grading_of(["adam"], table, single).waiting] == ["adam"], "one student's is FILE itself"
    single.touch()
    assert grading_of(["adam"], table, single).waiting == []


def test_late_work_and_lost_files_are_made_up_for(
    tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an instructor does: a class, then a student who was late, then a file that is gone."""
    monkeypatch.setattr(grading, "find_sets", lambda: [chapter_one()])
    for name in ("class/adam", "class/eve", "late/zoe"):
        write_submission(tmp_path / name, RIGHT, "by_hand")
    table, file = tmp_path / "grades.csv", tmp_path / "results.json"
    flags = ("--only", "1.1", "--csv", table, "--gradescope", file)
    assert call(capsys, monkeypatch, "grade", str(tmp_path / "class" / "*"), *flags)[0] == 0
    assert call(capsys, monkeypatch, "grade", tmp_path / "late" / "zoe", *flags, "--resume")[0] == 0
    assert points(table) == [("zoe", "1"), ("adam", "1"), ("eve", "1")]
    (tmp_path / "results.eve.json").unlink()
    write_submission(tmp_path / "class" / "eve", RIGHT.replace("return 2 / 3", "return 0.5"), "by_hand")
    status, printed, _ = call(capsys, monkeypatch, "grade", str(tmp_path / "class" / "*"), *flags, "--resume")
    assert status == 0 and "[2/2] eve: 0 of 1 points" in printed and "adam:" not in printed
    assert points(table) == [("adam", "1"), ("eve", "0"), ("zoe", "1")]
    assert json.loads((tmp_path / "results.eve.json").read_text(encoding="utf-8"))["score"] == 0
    assert not leftovers(tmp_path)
