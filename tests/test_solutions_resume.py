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
from solutions.grading.execution import FAILED, NOT_ATTEMPTED, PASSED
from solutions.grading.rows import Report, Table, for_autograder
from solutions.grading.running import TaskResult
from solutions.grading.submission import AMBIGUOUS
from solutions.roster import MISSING, SEVERAL, plan
from solutions.sets import choose
from tests.submissions import chapter_one

TASKS = choose([chapter_one()], "1.1")


def report(name: str, message: str = "") -> Report:
    return Report(name, [TaskResult(TASKS[0], FAILED if message else PASSED, message)])


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


def grading_of(names: list[str], table: Table, gradescope: Path | None, feedback: Path | None = None) -> Grading:
    folders = [(name, Path(name)) for name in names]
    arguments = Namespace(gradescope=gradescope, feedback=feedback)
    return Grading(plan(folders, None), TASKS, None, table, arguments, "seed")


def test_rows_are_there_at_once_and_in_order_in_the_end(tmp_path: Path) -> None:
    path = tmp_path / "grades.csv"
    path.write_text("kept until all are there\n", encoding="utf-8")
    table = Table(path, TASKS, resume=False)
    table.add(report("eve", "=1+1\nwrong"), "seed")
    assert "eve,0,1,0,1.1 =1+1 wrong," in table.part.read_text(encoding="utf-8")
    assert path.read_text(encoding="utf-8").startswith("kept")
    table.add(report("adam"), "seed")
    table.finish(["adam", "eve"])
    assert [line[:5] for line in path.read_text(encoding="utf-8").splitlines()[1:]] == ["adam,", "eve,0"]
    assert not table.part.exists()


def test_a_grading_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    table = Table(tmp_path / "grades.csv", TASKS, resume=False)
    for name in ("adam", "eve"):
        table.add(report(name), "seed")
    whole = table.part.read_text(encoding="utf-8")
    table.part.write_text(whole[:-9], encoding="utf-8")  # in the middle of eve's row
    with pytest.raises(UserError, match="--resume"):
        Table(tmp_path / "grades.csv", TASKS, resume=False)
    again = Table(tmp_path / "grades.csv", TASKS, resume=True)
    assert again.done == {"adam"} and again.seed == "seed"
    with pytest.raises(UserError, match="does not have the columns"):
        Table(tmp_path / "grades.csv", choose([chapter_one()], "1.2"), resume=True)
    table.part.write_bytes(b"\xff" + whole.encode())
    with pytest.raises(UserError, match="grades.csv.part: no table of grades"):
        Table(tmp_path / "grades.csv", TASKS, resume=True)


def test_rows_of_folders_that_are_not_named_again_stay(finished: Path) -> None:
    table = Table(finished, TASKS, resume=True)
    table.add(report("late", message="wrong"), "seed")
    table.finish(["late", "eve"])
    assert points(finished) == [("late", "0"), ("eve", "1"), ("adam", "1"), ("'=1+1", "1")]
    Table(finished, TASKS, resume=True).finish(["eve", "adam"])
    assert [name for name, _ in points(finished)] == ["eve", "adam", "late", "'=1+1"]
    Table(finished, TASKS, resume=False).finish(["eve"])
    assert points(finished) == [], "another grading begins with no row"


def test_a_student_who_is_graded_again_has_one_row(finished: Path) -> None:
    table = Table(finished, TASKS, resume=True)
    table.add(report("adam", message="wrong"), "seed")
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
            grade.write(report("adam"))
    assert points(table.part) == []
    monkeypatch.setattr(table, "add", lambda *arguments: full(table.part, arguments))
    with pytest.raises(UserError, match="no room"):
        grade.write(report("eve"))
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


def test_two_names_have_two_rows(tmp_path: Path) -> None:
    """Though a spreadsheet would take one of them for a formula, and shows it as the other."""
    table = Table(tmp_path / "grades.csv", TASKS, resume=False)
    table.add(report("=a"), "seed")
    table.add(report("'=a", message="wrong"), "seed")
    table.finish(["=a", "'=a"])
    assert points(tmp_path / "grades.csv") == [("'=a", "1"), ("''=a", "0")]


def test_who_has_handed_in_since_is_graded(finished: Path) -> None:
    """The row of a student without a submission, or with several, is not final; what is ambiguous is told again."""
    table = Table(finished, TASKS, resume=True)
    table.add(Report("ghost", [TaskResult(TASKS[0], NOT_ATTEMPTED)], remarks=[MISSING]), "seed")
    table.add(Report("two", [TaskResult(TASKS[0], FAILED)], error=f"{SEVERAL}a and b"), "seed")
    table.add(Report("rival", [TaskResult(TASKS[0], PASSED)], remarks=["one", f"{AMBIGUOUS}other"]), "seed")
    again = Table(finished, TASKS, resume=True)
    grade = grading_of(["adam", "ghost", "two", "rival"], again, None)
    assert [name for name, _ in grade.waiting] == ["ghost", "two"]
    assert grade.ambiguous == {"adam": [], "rival": [f"{AMBIGUOUS}other"]}


def test_feedback_that_is_not_there_is_made(finished: Path) -> None:
    table, folder = Table(finished, TASKS, resume=True), finished.parent / "feedback"
    assert [name for name, _ in grading_of(["adam", "eve"], table, None, folder).waiting] == ["adam", "eve"]
    grading_of(["adam", "eve"], table, None, folder).write(report("adam"))
    assert [name for name, _ in grading_of(["adam", "eve"], table, None, folder).waiting] == ["eve"]
