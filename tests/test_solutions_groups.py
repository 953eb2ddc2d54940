"""Grading in groups on a cluster: the marks, reports and errors are those of grading on this machine."""

from __future__ import annotations

import json
import os
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace

import pytest

from common import executor
from common.errors import UserError
from solutions import grade as grading, groups
from solutions.grading.rows import Report, as_json
from solutions.sets import choose
from tests.clusters import Processes
from tests.programs import ROOT, error_line, run_python
from tests.submissions import ANSWERS, chapter_one, read_rows, with_code, write_submission
from tests.test_solutions_grade import call

TASKS = choose([chapter_one()], "1")
OPTIONS = Namespace(only="1.1", limit=10.0, total=600.0, memory=4.0, no_isolation=False, scheduler="tcp://x:1")


@pytest.mark.parametrize("students, slots, sizes", [(6, 2, [2, 2, 2]), (1, 8, [1]), (3, 0, [2, 1]), (200, 1, [25] * 8)])
def test_groups_keep_all_workers_at_work(students: int, slots: int, sizes: list[int]) -> None:
    waiting = [(str(number), Path(str(number))) for number in range(students)]
    split = groups.split(waiting, SimpleNamespace(slots=slots))
    assert [len(group) for group in split] == sizes and sum(split, []) == waiting
    assert groups.split([], SimpleNamespace(slots=slots)) == []


@pytest.mark.needs("time")
def test_a_group_is_graded_as_it_would_be_here() -> None:
    words = groups.command(["/class/a[b]*"], "s", OPTIONS)
    assert words[:4] == ["-m", "solutions", "grade", "/class/a[[]b][*]"]
    parsed = vars(parser().parse_args(words[2:]))
    assert all(parsed[name] == value for name, value in vars(OPTIONS).items() if name != "scheduler")
    assert (parsed["seed"], parsed["json"], parsed["jobs"], parsed["scheduler"]) == ("s", True, 1, "")
    alone = groups.command([], "s", Namespace(**{**vars(OPTIONS), "no_isolation": True}))
    assert parser().parse_args([*alone[2:], "x"]).no_isolation


def parser():
    from common.errors import OneLineParser

    flags = OneLineParser()
    grading.add_arguments(flags.add_subparsers())
    return flags


@pytest.fixture(scope="module")
def classroom(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four students, of whom two share a name; one loops for ever, and one has no submission."""
    folder = tmp_path_factory.mktemp("class")
    right = ANSWERS["by_hand"]
    write_submission(folder / "a" / "ada", right, "by_hand")
    write_submission(folder / "b" / "ada", right.replace("return 2 / 3", "print('é')\n    return 0.5"), "by_hand")
    write_submission(folder / "c" / "[x]*", right + "\nwhile True: pass\n", "by_hand")
    (folder / "d" / "nothing").mkdir(parents=True)
    return folder


@pytest.mark.needs("loopback", "time")
@pytest.mark.slow
def test_marks_are_those_of_one_machine(classroom: Path, tmp_path: Path) -> None:
    """By a real scheduler and a worker that are processes of their own."""
    pytest.importorskip("distributed")
    students = sorted(os.path.relpath(path, ROOT) for path in classroom.glob("*/*"))
    flags = ["--only", "1.1", "--seed", "s", "--limit", "5", "--jobs", "1"]
    cluster = Processes(tmp_path)
    try:
        cluster.add("one")
        for name, more in (("here", []), ("there", ["--scheduler", cluster.address])):
            (tmp_path / name).mkdir()
            files = [f"--csv={tmp_path / name / 'grades.csv'}", f"--gradescope={tmp_path / name / 'results.json'}"]
            done = run_python("-m", "solutions", "grade", *map(escaped, students), *flags, *files, *more)
            assert done.returncode == 1 and done.stderr.endswith("could not be graded: nothing\n"), done.stderr
            assert sorted(line[:3] for line in done.stdout.splitlines()) == ["[1/", "[2/", "[3/", "[4/", "wro"]
        assert table(tmp_path / "there") == table(tmp_path / "here") and len(table(tmp_path / "here")) == 4
        assert reports(tmp_path / "there") == reports(tmp_path / "here") and len(reports(tmp_path / "here")) == 4
        assert {row["points"] for row in table(tmp_path / "there").values()} == {"0", "1"}
    finally:
        cluster.close()


def escaped(path: str) -> str:
    return path.replace("[", "[[]").replace("*", "[*]")


def table(folder: Path) -> dict[str, dict[str, str]]:
    """The rows, without times."""
    return {name: row | {"seconds": ""} for name, row in read_rows(folder / "grades.csv").items()}


def reports(folder: Path) -> dict[str, dict]:
    paths = folder.glob("results.*.json")
    return {path.name: json.loads(path.read_text("utf-8")) | {"execution_time": 0} for path in paths}


class Elsewhere:
    """Stands for a cluster: does the work here, with another outcome."""

    slots = 1

    def __init__(self, **outcome: object):
        self.outcome = SimpleNamespace(**{"returncode": 0, "stdout": "", "stderr": ""} | outcome)

    def submit(self, function: object, *arguments: object):
        future = executor.Future()
        future.set_result(self.outcome)
        return future

    def shutdown(self, **options: object) -> None:
        pass


@pytest.mark.needs("time")
def test_what_fails_on_a_cluster_is_one_line(capsys: pytest.CaptureFixture) -> None:
    error = "error: the course's own answer to 1.1 fails: 3; nothing was graded\n"
    failing = Elsewhere(returncode=2, stderr=error)
    with pytest.raises(UserError, match="^the course's own answer to 1.1 fails: 3; nothing was graded$"):
        list(groups.grade_groups(failing, [("a", Path("a"))], TASKS, "s", OPTIONS))
    line = as_json(Report("x", []), 0)
    graded = Elsewhere(stdout=line, stderr=f"{groups.FENCE}\n")
    reports = list(groups.grade_groups(graded, [("a", Path("a")), ("b", Path("b"))], TASKS, "s", OPTIONS))
    assert [report.name for report in reports] == ["a", "b"] and capsys.readouterr().err == f"{groups.FENCE}\n"


def test_a_wrong_address_is_one_line(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("distributed")
    folder = write_submission(tmp_path / "ada", with_code())
    flags = ("--only", "1.1", "--scheduler", "nowhere", "--csv", tmp_path / "grades.csv")
    status, _, errors = call(capsys, monkeypatch, "grade", folder, tmp_path / "no folder", *flags)
    assert not list(tmp_path.glob("grades.csv*")), "no table is begun that would stop the next grading"
    assert status == 2 and "--scheduler nowhere: no Dask scheduler answers there" in error_line(errors)
