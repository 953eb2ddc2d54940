"""What marks are made with: graders and exams in servers of their own, and both on a copy of the course."""

from __future__ import annotations

import ast
import copy
import secrets
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

from common.errors import UserError
from solutions.grading import sandbox
from solutions.grading.compare import Record, first_difference, unsound
from solutions.grading.execution import FAILED, PASSED, Outcome, Source, StandIn
from solutions.grading.jobs import Ran, Request
from solutions.grading.printed import escaped
from solutions.grading.process import LIMIT, Server
from solutions.grading.stage import Stage
from solutions.sets import EXAMS, GRADERS, ExerciseSet, Task
from solutions.stubs import read_tree

Tasks = list[tuple[ExerciseSet, Task]]


def imports_of(one: ExerciseSet) -> set[str]:
    """The modules that the blanks of a set import, but for each other."""
    nodes = [node for text in one.stubs.values() for node in ast.walk(read_tree(text))]
    names = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    names |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return names - one.answers.keys() - {"__future__"}


class Files(NamedTuple):
    """What is graded: files, and functions of the course that replace some of theirs."""

    files: dict[str, Source]
    standins: dict[str, StandIn] = {}


class Graders:
    """Graders in a server of their own, for checks and for marks."""

    def __init__(self, sets: list[ExerciseSet], **options: object):
        self.sets = {one.name: one for one in sets}
        self.server = Server(
            self.paths(), imports=sorted({name for one in sets for name in imports_of(one)}), **options
        )

    def paths(self) -> list[Path]:
        return [path for one in self.sets.values() for path in sorted(one.folder.glob("test_*.py"))]

    def path_of(self, one: ExerciseSet, name: str) -> Path:
        return one.folder / name

    def request(self, one: ExerciseSet, task: Task, files: Files, first: bool = False) -> Request:
        """For all graders of a task, or all up to the first that fails."""
        names = [grader.name for grader in one.graders if grader.task == task.number]
        path = self.path_of(one, f"test_{task.file}.py")
        return Request(path, names, task.number, task.file, files.files, list(one.answers), files.standins, first=first)

    def run(
        self, one: ExerciseSet, task: Task, files: dict[str, Source], limit: float = LIMIT, first: bool = False
    ) -> Ran:
        return self.server.run(self.request(one, task, Files(files), first), limit)

    def close(self) -> None:
        self.server.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class Exams(Graders):
    """Exams in a server of their own, the seed of this grading, and the results of the answers, computed once."""

    def __init__(self, sets: list[ExerciseSet], seed: str = "", **options: object):
        self.seed = seed or secrets.token_hex(8)
        self.truth: dict[str, Record] = {}
        super().__init__(sets, **options)

    def paths(self) -> list[Path]:
        return [self.path_of(one, "exams.py") for one in self.sets.values() if one.exams]

    def request(self, one: ExerciseSet, task: Task, files: Files, first: bool = False) -> Request:
        """For the exam of a task."""
        path, name, seed = self.path_of(one, "exams.py"), one.exams[task.number].name, f"{self.seed} {task.number}"
        return Request(path, [name], task.number, task.file, files.files, list(one.answers), files.standins, seed)

    def prepare(self, one: ExerciseSet, task: Task, limit: float = LIMIT) -> str:
        """Run the exam on the answer, once; what is wrong with it or with the exam, or ""."""
        if task.number in self.truth or task.number not in one.exams:
            return ""
        ran = self.run(one, task, answer_files(one), limit)
        wrong = next((outcome.message for outcome in ran.outcomes.values() if outcome.status != PASSED), "")
        wrong = wrong or unsound(ran.record)
        if not wrong:
            self.truth[task.number] = ran.record
        return wrong

    def judge(self, one: ExerciseSet, task: Task, files: dict[str, Source], limit: float = LIMIT) -> Outcome:
        """How a submission did in the exam of a task, measured by the answer. A task without an exam is passed."""
        if task.number not in one.exams:
            return Outcome(PASSED)
        return self.verdict(one, task, self.run(one, task, files, limit))

    def verdict(self, one: ExerciseSet, task: Task, ran: Ran) -> Outcome:
        """Whether what an exam found is what it found on the answer."""
        wrong = self.prepare(one, task)
        if wrong:
            return Outcome(FAILED, f"the exam is broken: {wrong}")
        for outcome in ran.outcomes.values():
            if outcome.status != PASSED:
                return outcome
        wrong = escaped(first_difference(ran.record, self.truth[task.number], one.exams[task.number].tolerance))
        return Outcome(FAILED, f"with other numbers than the checks have: {wrong}") if wrong else Outcome(PASSED)


class Marking:
    """Graders and exams for marks, on a copy of the course without answers, in bubblewrap where it is to be had."""

    def __init__(self, tasks: Tasks, *, limit: float, memory: float, seed: str = "", isolated: bool | None = None):
        self.tasks, self.limit = tasks, limit
        self.isolated = sandbox.has_bubblewrap() if isolated is None else isolated
        self.sets = list({one.name: one for one, _ in tasks}.values())
        self.options = {"memory": memory, "isolated": self.isolated}
        self.seed = seed or secrets.token_hex(8)
        with ExitStack() as begun:  # what was begun is ended, where the rest cannot be
            self.stages = [begun.enter_context(closing(Stage(self.sets, one))) for one in (GRADERS, (EXAMS,))]
            self.graders = begun.enter_context(StagedGraders(self.sets, self.stages[0], **self.options))
            self.exams = StagedExams(self.sets, self.stages[1], seed=self.seed, **self.options)
            begun.pop_all()

    @property
    def shared(self) -> bool:
        """Whether students may share a server: its copies do not see each other, or nothing could be done about it."""
        return not self.isolated or (self.graders.server.nested and self.exams.server.nested)

    def prepare(self) -> None:
        """Grade the answers. Raises `UserError` where they fail: then graders or machine are broken."""
        for one, task in self.tasks:
            right = answer_files(one)
            outcomes = self.graders.run(one, task, right, self.limit).outcomes.values()
            wrong = next((outcome.message for outcome in outcomes if outcome.status != PASSED), "")
            wrong = wrong or self.exams.prepare(one, task, self.limit)
            if wrong:
                raise UserError(f"the answer to {task.number} itself fails: {wrong}; nothing was graded")

    def check_course(self) -> list[str]:
        """The files of the course that were changed since the last student; they are put right, and loaded again."""
        wrong = [name for stage in self.stages for name in stage.restore()]
        if wrong:
            for one in (self.graders, self.exams):
                one.server._kill()
        return wrong

    def fresh(self) -> Marking:
        """The same with processes of its own: for one student, where copies of one process would see each other."""
        other = copy.copy(self)
        other.stages = []
        other.graders = StagedGraders(self.sets, self.stages[0], **self.options)
        other.exams = StagedExams(self.sets, self.stages[1], seed=self.seed, **self.options)
        other.exams.truth = self.exams.truth
        return other

    def close(self) -> None:
        for one in (self.graders, self.exams, *self.stages):
            one.close()

    def __enter__(self) -> Marking:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class Staged:
    """Graders or exams on the copy of the course."""

    def __init__(self, sets: list[ExerciseSet], stage: Stage, **options: object):
        self.stage, self.folder = stage, Path(sandbox.COURSE) if options["isolated"] else stage.folder
        super().__init__(sets, course=stage.folder, **options)

    def paths(self) -> list[Path]:
        return [self.path_of(one, name) for one in self.sets.values() for name in self.stage.chosen[one.name]]

    def path_of(self, one: ExerciseSet, name: str) -> Path:
        return self.folder / "solutions" / one.name / name


class StagedGraders(Staged, Graders):
    pass


class StagedExams(Staged, Exams):
    pass


def answer_files(one: ExerciseSet) -> dict[str, Source]:
    """The answers of a set, as if they were a submission."""
    return {name: Source(str(one.path_of(name)), text) for name, text in one.answers.items()}
