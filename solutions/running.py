"""Grading a folder: which task passes, which does not and why. The student's code runs in another process (process.py).

Here it is known beforehand which graders there are; a task passes only when each of them has answered so. A process
that ends, hangs or talks nonsense fails the task that was being graded, and another one takes up the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from solutions.execution import FAILED, NOT_ATTEMPTED, PASSED, Outcome, Source
from solutions.process import LIMIT, MEMORY, Worker
from solutions.reading import find_problem, hidden_errors, is_untouched, read_files
from solutions.sets import ExerciseSet, Grader, Task, find_sets
from solutions.stubs import is_answer, mutate

TOTAL = 600.0
"""Seconds that a whole submission may take."""
GONE = "not graded: an earlier check of this exercise ended the process"


@dataclass
class TaskResult:
    """How a task did. message: of the first grader that did not pass. printed: what the student's code printed then.

    graders: of each its outcome; where something was wrong before they began, there are none.
    """

    one: ExerciseSet
    task: Task
    status: str
    message: str = ""
    graders: dict[str, Outcome] = field(default_factory=dict)
    printed: str = ""

    @property
    def points(self) -> float:
        return self.task.points

    @property
    def failing(self) -> str:
        """The name of the first grader that did not pass, or ""."""
        return next((name for name, outcome in self.graders.items() if outcome.status != PASSED), "")

    @property
    def score(self) -> float:
        return self.task.points if self.status == PASSED else 0.0


def grade(
    folder: Path,
    tasks: list[tuple[ExerciseSet, Task]],
    *,
    guarded: bool = True,
    limit: float = LIMIT,
    total: float = TOTAL,
    memory: float = MEMORY,
    progress: Callable[[TaskResult], None] = lambda result: None,
) -> list[TaskResult]:
    """Grade the tasks on the files of a submission, with `limit` seconds a grader and `total` for everything.

    guarded: with the fence of guard.py, and with a probe afterwards. Graders that no longer catch a wrong answer were
    tampered with, and then nothing counts that passed before them.
    """
    files = {one.name: read_files(folder, one) for one, _ in tasks}
    results = {task.number: before_running(one, task, files[one.name], folder) for one, task in tasks}
    waiting = [(one, task) for one, task in tasks if results[task.number] is None]
    spent = 0.0
    while waiting:
        with Worker(sorted({one.folder / f"test_{task.file}.py" for one, task in waiting}), guarded, memory) as worker:
            passed, ended = [], 0
            for one, task in waiting:
                started = time.monotonic()
                patience = min(limit, max(total - spent, 0.1))
                results[task.number] = result = run_task(worker, one, task, files[one.name], patience)
                spent += time.monotonic() - started
                ended += 1
                if not worker.alive:
                    break
                if result.status == PASSED:
                    passed.append((one, task))
            if not guarded or not worker.alive:  # what a dead process let pass cannot be probed: once more, without it
                waiting = (passed if guarded else []) + waiting[ended:]
                continue
            waiting = []
            if not all(still_catches(worker, one, task, limit) for one, task in passed):
                for _, task in passed:
                    results[task.number].status = FAILED
                    results[task.number].message = "graders no longer catch a wrong answer: they were tampered with"
    for result in results.values():
        progress(result)
    return list(results.values())


def before_running(one: ExerciseSet, task: Task, files: dict[str, Source], folder: Path) -> TaskResult | None:
    """The result of a task for which nothing has to run."""
    if is_untouched(task, one, files):
        return TaskResult(one, task, NOT_ATTEMPTED)
    problem = find_problem(task, one, files, folder)
    return TaskResult(one, task, FAILED, problem) if problem else None


def run_task(worker: Worker, one: ExerciseSet, task: Task, files: dict[str, Source], limit: float) -> TaskResult:
    """All graders of a task. The first that does not pass gives the message."""
    result = TaskResult(one, task, PASSED)
    for grader in one.graders:
        if grader.task == task.number:
            outcome = run_one(worker, one, grader, files, limit) if worker.alive else Outcome(FAILED, GONE)
            if outcome.status == FAILED:
                outcome = Outcome(FAILED, outcome.message + hidden_errors(files[task.file]))
            result.graders[grader.name] = outcome
            if outcome.status != PASSED and result.status == PASSED:
                result.status, result.message, result.printed = outcome.status, outcome.message, worker.output()
    if not result.graders:
        result.status, result.message = FAILED, f"exercise {task.number} has no grader"
    return result


def run_one(worker: Worker, one: ExerciseSet, grader: Grader, files: dict[str, Source], limit: float) -> Outcome:
    path = one.folder / f"test_{grader.file}.py"
    return worker.run(path, grader.name, grader.file, files, list(one.answers), limit)


def still_catches(worker: Worker, one: ExerciseSet, task: Task, limit: float) -> bool:
    """Whether the graders of a task, in a process that has run a student's code, still catch a wrong answer."""
    for number, right, wrong in one.mutants.get(task.file, []):
        if number == task.number and is_answer(one.answers[task.file]):
            path = str(one.path_of(task.file))
            files = answer_files(one) | {task.file: Source(path, mutate(one.answers[task.file], right, wrong, path))}
            return any(
                run_one(worker, one, grader, files, limit).status != PASSED
                for grader in one.graders
                if grader.task == task.number
            )
    return True


def answer_files(one: ExerciseSet) -> dict[str, Source]:
    """The answers of a set, as if they were a submission."""
    return {name: Source(str(one.path_of(name)), text) for name, text in one.answers.items()}


class Course:
    """All sets and one submission, graded set by set as results are asked for: what pytest needs."""

    def __init__(self, submission: Path):
        self.submission = submission
        self.sets = {one.folder: one for one in find_sets()}
        self.results: dict[Path, dict[str, TaskResult]] = {}

    def outcome(self, one: ExerciseSet, grader: Grader) -> Outcome:
        """How a grader ended on the submission."""
        if one.folder not in self.results:
            found = grade(self.submission, [(one, task) for task in one.tasks.values()])
            self.results[one.folder] = {result.task.number: result for result in found}
        result = self.results[one.folder][grader.task]
        return result.graders.get(grader.name, Outcome(result.status, result.message))

    def summary(self) -> list[str]:
        """A line for each set that was graded: points, and what is not attempted."""
        lines = []
        for folder, results in self.results.items():
            score, points = (sum(getattr(one, name) for one in results.values()) for name in ("score", "points"))
            blank = sum(one.status == NOT_ATTEMPTED for one in results.values())
            lines.append(f"{folder.name:24} {score:5g} of {points:g} points, {blank} of {len(results)} not attempted")
        return lines
