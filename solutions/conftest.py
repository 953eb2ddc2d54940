"""`pytest solutions/`: every grader twice, on the answer (the control) and on the student's file (the attempt).

A control that fails means that the grader or the installation is broken. An exercise that is still blank is skipped as
"not attempted" and counts nothing; with --require-all it is a failure. Attempts run in a process of their own with a
time limit, so that nothing that a student's file does can stop or change this one.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from common.errors import replace_handlers
from solutions.grading.course import Course
from solutions.grading.dynet_setup import prepare
from solutions.grading.execution import FAILED, NOT_ATTEMPTED, PASSED, Outcome, Submission, run_grader
from solutions.grading.marking import answer_files
from solutions.public_exam import load_graders
from solutions.sets import EXERCISES, SET_NAME, ExerciseSet, Grader
from solutions.stubs import is_answer

prepare()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("exercises")
    group.addoption("--submission", metavar="DIR", type=Path, help="grade this folder instead of exercises/")
    group.addoption("--require-all", action="store_true", help="an exercise that is not attempted is a failure")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[COURSE] = Course(config.getoption("--submission", None) or EXERCISES)


COURSE: pytest.StashKey[Course] = pytest.StashKey()


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if SET_NAME.fullmatch(module_path.parent.name):
        return GraderFile.from_parent(parent, path=module_path)
    return None


class GraderFile(pytest.File):
    """A grader's file: two items for each grader."""

    def collect(self) -> Iterator[pytest.Item]:
        exercises = self.config.stash[COURSE].sets[self.path.parent]
        for grader in exercises.graders:
            if f"test_{grader.file}.py" == self.path.name:
                yield Control.from_parent(self, name=f"{grader.name}[answer]", exercises=exercises, grader=grader)
                yield Attempt.from_parent(self, name=f"{grader.name}[attempt]", exercises=exercises, grader=grader)


class Item(pytest.Item):
    """A grader on one of the two; `outcome` runs it."""

    def __init__(self, *, exercises: ExerciseSet, grader: Grader, **others):
        super().__init__(**others)
        self.exercises, self.grader = exercises, grader

    def runtest(self) -> None:
        outcome = self.outcome()
        if outcome.status == NOT_ATTEMPTED:
            if not self.config.getoption("--require-all", False):
                pytest.skip("not attempted")  # one reason for all, which pytest reports in one line
            raise GraderFailed("not attempted")
        if outcome.status == FAILED:
            raise GraderFailed(outcome.message)

    def repr_failure(self, excinfo: pytest.ExceptionInfo, style: object = None) -> object:
        if isinstance(excinfo.value, GraderFailed):
            return f"{self.grader.task} {self.grader.name}: {excinfo.value}"
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.grader.task} {self.name}"


class GraderFailed(Exception):
    """A grader's one line."""


class Control(Item):
    """A grader on the answer, in this process. Skipped in an edition for students, which has no answers."""

    def outcome(self) -> Outcome:
        if not is_answer(self.exercises.answers[self.grader.file]):
            pytest.skip("this edition has no answers")
        grader = getattr(load_graders(self.path), self.grader.name)
        outcome = run_grader(grader, Submission(answer_files(self.exercises)), self.grader.file)
        return outcome if outcome.status == PASSED else Outcome(FAILED, f"the answer itself fails: {outcome.message}")


class Attempt(Item):
    """A grader on the student's file, in a process of its own, together with all others of the set."""

    def outcome(self) -> Outcome:
        with terminations_raised():
            return self.config.stash[COURSE].outcome(self.exercises, self.grader)


@contextmanager
def terminations_raised() -> Iterator[None]:
    """Inside, SIGTERM and SIGHUP are raised as Ctrl-C is, so that processes are ended and their folder is removed."""
    main = threading.current_thread() is threading.main_thread()  # no other may set handlers
    if main:
        replace_handlers(inside=True)
    try:
        yield
    finally:
        if main:
            replace_handlers(inside=False)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    lines = config.stash[COURSE].summary()
    if lines:
        terminalreporter.section("exercises")
    for line in lines:
        terminalreporter.write_line(line)
