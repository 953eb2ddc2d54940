"""`python -m solutions grade`: a class, as an instructor grades it."""

from __future__ import annotations

import ast
import json
import re
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from solutions import __main__ as program, grade as grading
from solutions.collecting import find_submissions
from solutions.grading import marking, process, rows
from solutions.grading.running import grade
from solutions.sets import ExerciseSet
from solutions.stubs import mutate, read_tree
from tests.programs import error_line, leftovers, run_python
from tests.submissions import ANSWERS, chapter_one, grade_text, read_rows, write_submission


def call(capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["solutions", *map(str, arguments)])
    capsys.readouterr()
    try:
        program.main()
        status = 0
    except SystemExit as stopped:
        status = stopped.code
    printed = capsys.readouterr()
    return status, printed.out, printed.err


@pytest.fixture
def run(capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch):
    """The program, with chapter 1 only."""
    exercises = chapter_one()
    monkeypatch.setattr(grading, "find_sets", lambda: [exercises])
    return lambda *arguments: call(capsys, monkeypatch, *arguments)


@pytest.fixture
def adam(tmp_path: Path) -> Path:
    """A student who has answered 1.1."""
    return write_submission(tmp_path / "class" / "adam", ANSWERS["by_hand"], "by_hand")


@pytest.mark.needs("time")
@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--limit=-1",), "--limit -1: must be a number above 0"),
        (("--total", "nan"), "--total nan: must be a number above 0"),
        (("--jobs", 1001), "--jobs 1001: must be from 1 to 1000"),
        (("--csv", "results"), "--csv results: is a folder; name a file"),
        (("--gradescope", "results"), "--gradescope results: is a folder; name a file"),
        (("--feedback", "file"), "--feedback file: is a file; name a folder"),
        (("--resume",), "--resume needs --csv"),
        (("--deadline", "2026-10-12"), "--deadline needs --roster"),
        (("--canvas", "c.csv", "--roster", "none.csv"), "--canvas needs --csv"),
        (("--roster", "none.csv"), "none.csv: no such file; give the roster as CSV"),
    ],
)
def test_flags_that_make_no_sense(run, tmp_path: Path, monkeypatch, flags: tuple, message: str) -> None:
    for folder in ("adam", "results"):
        (tmp_path / folder).mkdir()
    (tmp_path / "file").touch()
    monkeypatch.chdir(tmp_path)
    status, _, errors = run("grade", "adam", "--only", "1.1", *flags)
    assert (status, errors) == (2, f"error: {message}\n") and not leftovers(tmp_path)


def test_brackets_in_a_name_are_no_pattern(tmp_path: Path) -> None:
    for name in ("ana 1", "ana [1]", "ana [12]"):
        (tmp_path / name).mkdir()
    paths = [str(tmp_path / name) for name in ("ana 1", "ana [1]")]
    assert [name for name, _ in find_submissions(paths)] == ["ana 1", "ana [1]"]
    assert [name for name, _ in find_submissions([str(tmp_path / "ana ?")])] == ["ana 1"]


CLASS = {
    "right": ({}, "1 2 2 3 3 4"),
    "wrong-number": ({"by_hand": ("return 2 / 3", "return 0.5")}, "0 2 2 3 3 4"),
    "wrong-twice": (
        {"perplexity": ("predictions += 1", "predictions += 2"), "kneser_ney": ("2 * n[2]", "n[2]")},
        "1 2 2 3 0 0",
    ),
    "wrong-import": ({"counting": ("import math", "import maths")}, "1 0 0 3 3 4"),
    "empty": (dict.fromkeys(ANSWERS), "0 0 0 0 0 0"),
    "one-file-missing": ({"interpolation": None}, "1 2 2 0 3 4"),
    "forger": (
        {"by_hand": ("6 + 1 + 5 + 1", "__import__('solutions').checks"), "perplexity": ("predictions += 1", "pass")},
        "0 2 2 3 0 4",
    ),
    "wrong-early": ({"counting": ("    return dict(counts)", "    return {}")}, "1 0 2 3 3 4"),
    "vandal": ({"kneser_ney": ("def discounts", "import os\n\nos.abort()\n\n\ndef discounts")}, "1 2 2 3 3 0"),
}
"""Invented submissions: what is changed in which file of the answers (None: there is no such file), and the marks."""


@pytest.mark.slow
def test_the_marks_of_a_class_are_those_expected(run, tmp_path: Path) -> None:
    for name, (changes, _) in CLASS.items():
        (tmp_path / "class" / name).mkdir(parents=True)
        for file, text in ANSWERS.items():
            change = changes.get(file, ("", ""))
            if change is not None:
                write_submission(tmp_path / "class" / name, text.replace(*change) if change[0] else text, file)
    table = tmp_path / "grades.csv"
    (tmp_path / "class" / "notes.txt").write_text("no submission", encoding="utf-8")
    flags = ("--csv", table, "--gradescope", tmp_path / "results.json", "--jobs", 2)
    status, printed, errors = run("grade", str(tmp_path / "class" / "*"), *flags)
    assert status == 1 and errors.endswith("could not be graded: empty, notes.txt\n")
    places = [re.search(r"\[ *(\d+)/10\] ", line)[1] for line in printed.splitlines()[:-1]]
    assert places == [str(number) for number in range(1, 11)] and "] right: 15 of 15 points in " in printed
    rows = read_rows(table)
    marks = {name: " ".join(row[f"1.{n}"] for n in range(1, 7)) for name, row in rows.items()}
    assert marks.pop("notes.txt") == "0 0 0 0 0 0" and rows["notes.txt"]["problems"].startswith(
        "error: neither a folder"
    )
    assert marks == {name: expected for name, (_, expected) in sorted(CLASS.items())}
    assert "1.1 in probability_of_goat: c(h) is how often" in rows["wrong-number"]["problems"]
    assert "kneser_ney.py, line" in rows["vandal"]["look at"] and rows["right"]["look at"] == ""
    assert not leftovers(tmp_path)
    for name, (_, expected) in CLASS.items():
        report = json.loads((tmp_path / f"results.{name}.json").read_text(encoding="utf-8"))
        assert [test["score"] for test in report["tests"]] == [float(mark) for mark in expected.split()]
        assert report["score"] == sum(test["score"] for test in report["tests"])


def test_every_name_makes_another_part_of_a_files_name() -> None:
    names = ["C:/autumn/ada", "C:\\autumn\\ada", "a:b", "a-b", "A-B", "ada", "x" * 300, "x" * 301]
    file_names = rows.file_names(names)
    assert file_names["C:/autumn/ada"] == "C-autumn-ada" and file_names["ada"] == "ada"
    assert len({name.casefold() for name in file_names.values()}) == len(names)
    assert all(len(name) < 120 and not set(name) & set('/\\:*?"<>|') for name in file_names.values())


def test_no_folder_is_an_error(run, tmp_path: Path) -> None:
    status, _, errors = run("grade", tmp_path / "none")
    assert status == 2 and "there is nothing to grade" in error_line(errors)


@pytest.mark.slow
def test_a_broken_installation_grades_nobody(run, adam: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(marking, "answer_files", lambda exercises: {})
    status, printed, errors = run("grade", adam, "--only", "1.1", "--csv", tmp_path / "grades.csv")
    assert status == 2 and "own answer to 1.1 fails" in error_line(errors) and "nothing was graded" in errors
    assert printed == "" and not (tmp_path / "grades.csv").exists()


@pytest.mark.needs("time")
@pytest.mark.slow
def test_the_time_of_a_student_is_limited_as_a_whole(tmp_path: Path) -> None:
    for name in ("perplexity", "interpolation", "kneser_ney"):
        write_submission(tmp_path, ANSWERS[name] + "\nwhile True:\n    pass\n", name)
    tasks = [chapter_one().tasks[number] for number in ("1.4", "1.5", "1.6")]
    first, *others = grade(tmp_path, tasks, limit=30, total=6)
    assert re.search(r"still running after ([0-5]\.\d|[1-6]) seconds", first.message)
    assert all(result.score == 0 and "still running after 0.1" in result.message for result in others)


@pytest.mark.needs("time")
@pytest.mark.slow
def test_a_file_that_never_ends_is_loaded_once_for_all_its_tasks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second task is tried in the process of the first, then alone; of the third, nothing is left to try."""
    limits, converse = [], process.converse
    monkeypatch.setattr(process, "converse", lambda job, *rest: limits.append(rest[1]) or converse(job, *rest))
    write_submission(tmp_path, ANSWERS["by_hand"], "by_hand")
    write_submission(tmp_path, ANSWERS["counting"] + "\nwhile True:\n    pass\n", "counting")
    exercises = chapter_one()
    own = [task for task in exercises.tasks.values() if task.file in ("by_hand", "counting")]
    right, *wrong = grade(tmp_path, own, limit=5)
    assert right.score and len(wrong) > 1 and limits == [5, 5, 1]
    assert all("still running after 5 seconds" in result.message and not result.score for result in wrong)


def test_a_task_without_graders_is_no_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ExerciseSet, "graders", [])
    result = grade_text(tmp_path, ANSWERS["perplexity"])
    assert result.score == 0 and "has no grader" in result.message


slow = partial(pytest.param, marks=pytest.mark.slow)


class TestPytest:
    """`pytest solutions/`."""

    BLANK = chapter_one().stubs["by_hand"]
    WRONG = mutate(ANSWERS["by_hand"], "return 2 / 3", "return 0.5", "")

    @pytest.mark.parametrize(
        ("text", "flags", "status", "messages"),
        [
            (WRONG, [], 1, ["1 failed, 13 passed", "1.1 test_the_goat: how often does anything follow"]),
            slow(BLANK, [], 0, ["7 passed, 7 skipped", "0 of 15 points, 1 of 6 not attempted"]),
            slow(BLANK, ["--require-all"], 1, ["7 failed, 7 passed"]),
            slow("", [], 1, ["7 failed, 7 passed", "by_hand.py: no such file"]),
        ],
        ids=["wrong", "blank", "all required", "nothing"],
    )
    def test_of(self, tmp_path: Path, text: str, flags: list[str], status: int, messages: list[str]) -> None:
        if text:
            write_submission(tmp_path, text, "by_hand")
        command = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "solutions/ch01_ngram_lm/test_by_hand.py")
        result = run_python(*command, "--submission", str(tmp_path), *flags)
        assert result.returncode == status and all(message in result.stdout for message in messages)
        assert "0.666" not in result.stdout, "the answer stays unsaid"


@pytest.mark.needs("time")
def test_trees_are_made_by_one_thread_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two at once may fail in Python itself, once in many gradings."""
    making, at_once = threading.Lock(), []

    def watched(text: str, path: str) -> None:
        at_once.append(not making.acquire(blocking=False))
        time.sleep(0.01)  # for another thread to come in
        if not at_once[-1]:
            making.release()

    with monkeypatch.context() as patched, ThreadPoolExecutor(4) as pool:
        patched.setattr(ast, "parse", watched)
        list(pool.map(read_tree, [f"x = {number}  # once" for number in range(8)]))
    assert at_once == [False] * 8
    read_tree.cache_clear()
