"""Grading a folder: which task passes, which does not and why. The student's code runs in other processes (process.py).

Here it is known beforehand which graders and exams there are. A student's own check runs the graders only, on the files
as they are. A mark needs graders and exam, with the course's answers in the place of all other exercises.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from solutions.grading.execution import BEGUN, FAILED, NEEDS, NOT_ATTEMPTED, PASSED, Outcome, Source
from solutions.grading.jobs import GONE, Ran, Request
from solutions.grading.marking import Files, Graders, Marking, Tasks
from solutions.grading.process import LIMIT, MEMORY
from solutions.grading.progress import Progress, blank_functions, checks_of, left_over, progress, suspects
from solutions.grading.reading import find_problem, hidden_errors, is_untouched, read_files
from solutions.grading.standins import needs, substituted
from solutions.sets import ExerciseSet, Task

TOTAL = 600.0
"""Seconds that a whole submission may take."""


@dataclass
class TaskResult:
    """How a task did. message: of the first thing that is wrong. printed: what the student's code printed then.

    graders: of each its outcome; where something was wrong before they began, there are none. progress: how far the
    student is, where the task has several functions. stuck: whether the file could not be loaded in time.
    """

    one: ExerciseSet
    task: Task
    status: str
    message: str = ""
    graders: dict[str, Outcome] = field(default_factory=dict)
    printed: str = ""
    progress: Progress | None = None
    stuck: bool = False

    @property
    def points(self) -> float:
        return self.task.points

    @property
    def failing(self) -> str:
        """The name of the first grader that failed, or ""."""
        return next((name for name, outcome in self.graders.items() if outcome.status == FAILED), "")

    @property
    def score(self) -> float:
        return self.task.points if self.status == PASSED else 0.0


def grade(
    folder: Path,
    tasks: Tasks,
    *,
    guarded: bool = True,
    limit: float = LIMIT,
    total: float = TOTAL,
    memory: float = MEMORY,
    marking: Marking | None = None,
    files: Mapping[str, dict[str, Source]] | None = None,
) -> list[TaskResult]:
    """Grade the tasks on the files of a submission, with `limit` seconds a check and `total` for everything.

    Without `marking` this is a student's own check: the graders only, on the files as they are. files: of each set
    those to grade, by module name; without them those in the folder.
    """
    if files is None:
        files = {name: read_files(folder, one) for name, one in {one.name: one for one, _ in tasks}.items()}
    results = {task.number: before_running(one, task, files[one.name], folder) for one, task in tasks}
    waiting = [(one, task) for one, task in tasks if results[task.number] is None]
    if not waiting:
        return list(results.values())
    sets = list({one.name: one for one, _ in waiting}.values())
    graders = marking.graders if marking else Graders(sets, guarded=guarded, memory=memory)
    started = time.monotonic()

    def patience() -> float:
        return min(limit, max(round(started + total - time.monotonic(), 1), 0.1))

    try:
        for one in sets:
            own = [task for other, task in waiting if other.name == one.name]
            for task, result in grade_set(graders, marking, one, own, files[one.name], patience):
                results[task.number] = result
            for task in own if not marking else ():
                tell_of_earlier(graders, results, one, task, files[one.name], patience)
    finally:
        if not marking:
            graders.close()
    if marking:
        for one, task in waiting:
            tell_of_others(marking, results, one, task, files[one.name], patience())
    return list(results.values())


def before_running(one: ExerciseSet, task: Task, files: dict[str, Source], folder: Path) -> TaskResult | None:
    """The result of a task for which nothing has to run."""
    if is_untouched(task, one, files):
        return TaskResult(one, task, NOT_ATTEMPTED)
    problem = find_problem(task, one, files, folder)
    return TaskResult(one, task, FAILED, problem) if problem else None


def grade_set(
    graders: Graders,
    marking: Marking | None,
    one: ExerciseSet,
    tasks: list[Task],
    files: dict[str, Source],
    patience: Callable[[], float],
) -> Iterator[tuple[Task, TaskResult]]:
    """Tasks of a set: all graders of each, then the exams of those that pass. Only the first error is reported."""
    mixed = {task.number: Files(*substituted(one, task, files)) if marking else Files(files) for task in tasks}
    first = {task.number: bool(marking) and not blank_functions(task, files[task.file].text) for task in tasks}
    asked = [graders.request(one, task, mixed[task.number], first[task.number]) for task in tasks]
    passed = []
    for task, ran in zip(tasks, run_in_time(graders, asked, patience), strict=True):
        about = {"graders": ran.outcomes, "printed": ran.printed, "stuck": bool(ran.stuck)}
        result = judged(TaskResult(one, task, PASSED, **about), files)
        if result.status == PASSED:
            passed.append(result)
        else:
            yield task, result
    examined = [result for result in passed if marking and result.task.number in one.exams]
    asked = [marking.exams.request(one, result.task, mixed[result.task.number]) for result in examined]
    for result, ran in zip(examined, run_in_time(marking.exams, asked, patience) if asked else (), strict=True):
        outcome = marking.exams.verdict(one, result.task, ran)
        if outcome.status != PASSED:
            result.status, result.printed = outcome.status, ran.printed
            result.message = outcome.message + hidden_errors(files[result.task.file])
    yield from ((result.task, result) for result in passed)


def run_in_time(graders: Graders, requests: list[Request], patience: Callable[[], float]) -> Iterator[Ran]:
    """Run requests together; where one took long, the rest has what time is left. A file that could not be loaded in
    time for one task is not loaded again for the next.
    """
    stuck: dict[str, Ran] = {}
    while requests:
        if requests[0].file in stuck:
            yield ended_like(stuck[requests[0].file], requests.pop(0))
            continue
        limit = patience()
        some = [*takewhile(lambda request: request.file not in stuck, requests if limit > 1 else requests[:1])]
        started = time.monotonic()
        for request, ran in zip(some, graders.server.run_some(some, limit), strict=False):
            del requests[0]
            yield ran
            if ran.stuck == request.files[request.file].path:
                stuck[request.file] = ran
            if ran.stuck or time.monotonic() - started > limit / 2:
                break


def ended_like(ran: Ran, request: Request) -> Ran:
    """What a request would end with whose file has not been loaded in time for another one."""
    message = next(outcome.message for outcome in ran.outcomes.values() if outcome.status == FAILED)
    outcomes = dict.fromkeys(request.names, Outcome(FAILED, GONE))
    return Ran(True, {**outcomes, request.names[0]: Outcome(FAILED, message)}, printed=ran.printed, stuck=ran.stuck)


def judged(result: TaskResult, files: dict[str, Source]) -> TaskResult:
    """The result with what its graders have found: status, message, and how far the student is."""
    task, source = result.task, files[result.task.file]
    if result.graders and all(outcome.status == PASSED for outcome in result.graders.values()):
        return result
    result.progress = progress(result.one, task, source, result.graders)
    wrong = next((outcome for outcome in result.graders.values() if outcome.status == FAILED), None)
    if wrong:
        result.status, result.message = FAILED, where(result, files) + wrong.message + hidden_errors(source)
    elif not result.graders:
        result.status, result.message = FAILED, f"exercise {task.number} has no grader"
    elif not result.progress.blank:
        told = "the line `raise NotImplementedError` is still there: remove it"
        result.status, result.message = FAILED, left_over(task, source) + told
    elif len(result.progress.blank) == len(task.functions):
        result.status = NOT_ATTEMPTED
    else:
        result.status, result.message = BEGUN, str(result.progress)
    return result


def where(result: TaskResult, files: dict[str, Source]) -> str:
    """In which function the mistake is, "in NAME: ", where the message does not name file and line itself."""
    failing = next(grader for grader in result.one.graders if grader.name == result.failing)
    if result.graders[failing.name].message.startswith(tuple(source.path for source in files.values())):
        return ""
    checks = checks_of(result.one, result.graders)
    names = suspects(result.task, failing, checks, blank_functions(result.task, files[result.task.file].text))
    return f"in {' or '.join(names)}: " if names else ""


def tell_of_others(
    marking: Marking,
    results: dict[str, TaskResult],
    one: ExerciseSet,
    task: Task,
    files: dict[str, Source],
    limit: float,
) -> None:
    """The mark of a task is made with the course's answers to the others; say how it does with the student's own."""
    result = results[task.number]
    earlier = [other.number for other in needs(one, task)]
    known = [number for number in earlier if number in results and results[number].status != PASSED]
    if not known or result.status not in (PASSED, FAILED) or task.number not in one.exams:
        return
    stuck = next((results[number] for number in known if results[number].stuck), None)
    own = Outcome(FAILED, stuck.message) if stuck else marking.exams.judge(one, task, files, limit)
    course = f"the course's {' and '.join(known)}"
    if result.status == PASSED and own.status != PASSED:
        result.message = f"right, with {course}; with your own it is not: {own.message or 'that is still blank'}"
    elif result.status == FAILED:
        same = "neither is it with your own" if own.status != PASSED else "with your own, which do not pass, it is"
        result.message = f"with {course} it is not right: {result.message}; {same}"


def tell_of_earlier(
    graders: Graders,
    results: dict[str, TaskResult],
    one: ExerciseSet,
    task: Task,
    files: dict[str, Source],
    patience: Callable[[], float],
) -> None:
    """Where a student's own check fails, which exercises that it uses do not pass themselves."""
    result = results[task.number]
    if result.status != FAILED or not result.graders or NEEDS in result.message:
        return
    below = [other for other in needs(one, task, files[task.file].text) if other.file in files]
    unknown = [other for other in below if other.number not in results]
    found = {other.number: before_running(one, other, files, Path()) for other in unknown}
    unknown = [other for other in unknown if found[other.number] is None]
    found |= {other.number: result for other, result in grade_set(graders, None, one, unknown, files, patience)}
    wrong = [other.number for other in below if (results.get(other.number) or found[other.number]).status != PASSED]
    if wrong:
        which = f"exercises {' and '.join(wrong)}, which do" if wrong[1:] else f"exercise {wrong[0]}, which does"
        result.message += f" (it uses {which} not pass yet: begin there)"
        result.progress = None
