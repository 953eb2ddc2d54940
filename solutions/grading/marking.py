"""What marks are made with: graders and exams in servers of their own, and both on a copy of the course."""

from __future__ import annotations

import copy
import re
import secrets
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from common.errors import UserError
from solutions.diagnosis import DIAGNOSIS, STALE
from solutions.grading import sandbox
from solutions.grading.compare import Record, first_difference, unsound
from solutions.grading.execution import FAILED, PASSED, Outcome, Source, Substitution
from solutions.grading.jobs import Request, RunResult
from solutions.grading.printed import escaped
from solutions.grading.process import LIMIT, Server
from solutions.grading.reading import imported
from solutions.grading.stage import Stage
from solutions.sets import EXAMS, GRADERS, MUTANTS, ExerciseSet, Mutant, Task, sets_with
from solutions.stubs import mutate, read_tree

PATIENCE = 2.0
"""Seconds that the search for a misconception may take."""
CRASH = re.compile(r"the file ended the process \(status (-11|139)\)")
"""How a process ends in which DyNet has read an expression of an ended graph."""


def imports_of(exercises: ExerciseSet) -> set[str]:
    """The modules that the blanks of a set import, but for each other."""
    names = {name for text in exercises.stubs.values() for name in imported(read_tree(text))}
    return names - exercises.answers.keys() - {"__future__", ""}


class Files(NamedTuple):
    """What is graded: files, and functions of the course that replace some of theirs."""

    files: dict[str, Source]
    substitutions: dict[str, Substitution] = {}


class Closing(AbstractContextManager):
    """What is closed at the end of a `with`."""

    def __exit__(self, *exception: object) -> None:
        self.close()


class Graders(Closing):
    """Graders in a server of their own, for checks and for marks."""

    def __init__(self, sets: list[ExerciseSet], stage: Stage | None = None, **options: object):
        """stage: the copy of the course that the server sees; without one it sees the course itself."""
        self.folder = None
        if stage:
            self.folder = Path(sandbox.COURSE) if options["isolated"] else stage.folder
            options["course"] = stage.folder
        imports = {name for exercises in sets for name in imports_of(exercises)}
        paths = [self.path_of(exercises, name) for exercises in sets for name in self.names(exercises)]
        self.server = Server(paths, imports=sorted(imports), **options)

    def names(self, exercises: ExerciseSet) -> list[str]:
        """The files of a set that the server loads."""
        return sorted(path.name for path in exercises.folder.glob("test_*.py"))

    def path_of(self, exercises: ExerciseSet, name: str) -> Path:
        """Where the server sees a file of a set."""
        return self.folder / "solutions" / exercises.name / name if self.folder else exercises.folder / name

    def request(self, task: Task, files: Files, first: bool = False) -> Request:
        """For all graders of a task, or all up to the first that fails."""
        names = [grader.name for grader in task.exercises.graders if grader.task == task.number]
        return Request(self.path_of(task.exercises, f"test_{task.file}.py"), names, task, *files, first=first)

    def run(self, task: Task, files: dict[str, Source], limit: float = LIMIT, first: bool = False) -> RunResult:
        return self.server.run(self.request(task, Files(files), first), limit)

    def diagnose(self, task: Task, files: Files, limit: float) -> str:
        """The misconception behind a wrong answer to a task, with the student's value, or ""."""
        request = self.diagnosis(task, files)
        sentence, line = diagnosed(request, self.server.run(request, min(limit, PATIENCE)))
        lesson = f'lesson {task.exercises.chapter}, "{task.section}"'
        return escaped(f"{sentence.removesuffix('.')} ({lesson}); {line}") if sentence else ""

    def diagnosis(self, task: Task, files: Files) -> Request:
        """For the misconception behind a wrong answer to a task."""
        request = self.request(task, files)
        return replace(request, names=[f"{DIAGNOSIS}{task.number}"], seed=f"public {task.number}")

    def close(self) -> None:
        self.server.close()


def diagnosed(request: Request, ran: RunResult) -> tuple[str, str]:
    """The misconception that a diagnosis has found, "in FUNCTION: SENTENCE", and a line to show; "" and "" for none.

    A file that begins a new graph may end the process, and the diagnosis with it.
    """
    task = request.task
    message = " ".join(outcome.message for outcome in ran.outcomes.values())
    if CRASH.search(message) and "renew_cg" in request.files[task.file].text:
        return f"in {' or '.join(task.functions)}: {STALE}", message
    return next(iter(ran.record), ("", ""))


class Exams(Graders):
    """Exams in a server of their own, the seed of this grading, and the results of the answers, computed once."""

    def __init__(self, sets: list[ExerciseSet], stage: Stage | None = None, seed: str = "", **options: object):
        self.seed = seed or secrets.token_hex(8)
        self.truth: dict[str, Record] = {}
        super().__init__(sets, stage, **options)

    def names(self, exercises: ExerciseSet) -> list[str]:
        return [EXAMS] if exercises.exams else []

    def request(self, task: Task, files: Files, first: bool = False) -> Request:
        """For the exam of a task."""
        path, names = self.path_of(task.exercises, EXAMS), [task.exam.name]
        return Request(path, names, task, *files, seed=f"{self.seed} {task.number}")

    def prepare(self, task: Task, limit: float = LIMIT) -> str:
        """Run the exam on the answer, once; what is wrong with it or with the exam, or ""."""
        if task.number in self.truth or not task.exam:
            return ""
        ran = self.run(task, answer_files(task.exercises), limit)
        wrong = next((outcome.message for outcome in ran.outcomes.values() if outcome.status != PASSED), "")
        wrong = wrong or unsound(ran.record)
        if not wrong:
            self.truth[task.number] = ran.record
        return wrong

    def judge(self, task: Task, files: dict[str, Source], limit: float = LIMIT) -> Outcome:
        """How a submission did in the exam of a task, measured by the answer. A task without an exam is passed."""
        return self.verdict(task, self.run(task, files, limit)) if task.exam else Outcome(PASSED)

    def verdict(self, task: Task, ran: RunResult) -> Outcome:
        """Whether what an exam found is what it found on the answer."""
        wrong = self.prepare(task)
        if wrong:
            return Outcome(FAILED, f"the exam is broken: {wrong}")
        for outcome in ran.outcomes.values():
            if outcome.status != PASSED:
                return outcome
        wrong = escaped(first_difference(ran.record, self.truth[task.number], task.exam.tolerance))
        return Outcome(FAILED, f"with other numbers than the checks have: {wrong}") if wrong else Outcome(PASSED)


class Marking(Closing):
    """Graders and exams for marks, on a copy of the course without answers, in bubblewrap where it is to be had."""

    def __init__(
        self, tasks: Sequence[Task], *, limit: float, memory: float, seed: str = "", isolated: bool | None = None
    ):
        self.tasks, self.limit = tasks, limit
        self.isolated = sandbox.has_bubblewrap() if isolated is None else isolated
        self.sets = sets_with(tasks)
        self.options = {"memory": memory, "isolated": self.isolated}
        self.seed = seed or secrets.token_hex(8)
        with ExitStack() as resources:  # what was begun is ended, where the rest cannot be
            self.stages = [
                resources.enter_context(closing(Stage(self.sets, patterns))) for patterns in (GRADERS, (EXAMS,))
            ]
            self.graders = resources.enter_context(Graders(self.sets, self.stages[0], **self.options))
            self.exams = Exams(self.sets, self.stages[1], self.seed, **self.options)
            resources.pop_all()

    @property
    def shared(self) -> bool:
        """Whether students may share a server: its copies do not see each other, or nothing could be done about it."""
        return not self.isolated or (self.graders.server.nested and self.exams.server.nested)

    def prepare(self) -> None:
        """Grade the answers. Raises `UserError` where they fail: then graders or machine are broken."""
        for task in self.tasks:
            outcomes = self.graders.run(task, answer_files(task.exercises), self.limit).outcomes.values()
            wrong = next((outcome.message for outcome in outcomes if outcome.status != PASSED), "")
            wrong = wrong or self.exams.prepare(task, self.limit)
            if wrong:
                raise UserError(f"the course's own answer to {task.number} fails: {wrong}; nothing was graded")

    def check_course(self) -> list[str]:
        """The files of the course that were changed since the last student; they are put right, and loaded again."""
        wrong = [name for stage in self.stages for name in stage.restore()]
        if wrong:
            for graders in (self.graders, self.exams):
                graders.server._kill()
        return wrong

    def fresh(self) -> Marking:
        """The same with processes of its own: for one student, where copies of one process would see each other."""
        other = copy.copy(self)
        other.stages = []
        other.graders = Graders(self.sets, self.stages[0], **self.options)
        other.exams = Exams(self.sets, self.stages[1], self.seed, **self.options)
        other.exams.truth = self.exams.truth
        return other

    def close(self) -> None:
        for resource in (self.graders, self.exams, *self.stages):
            resource.close()


def answer_files(exercises: ExerciseSet) -> dict[str, Source]:
    """The answers of a set, as if they were a submission."""
    return {name: Source(str(exercises.path_of(name)), text) for name, text in exercises.answers.items()}


def mutated_files(exercises: ExerciseSet, mutant: Mutant) -> dict[str, Source]:
    """The answers of a set with one wrong one. Raises `UserError` where the mutant's text is not there exactly once."""
    files, file = answer_files(exercises), exercises.tasks[mutant.task].file
    place = f"{exercises.folder / MUTANTS}, {mutant.name!r}"
    return {**files, file: replace(files[file], text=mutate(files[file].text, mutant.right, mutant.wrong, place))}
