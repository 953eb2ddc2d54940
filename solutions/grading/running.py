"""Grading a folder: which task passes, which does not and why. The student's code runs in other processes (process.py).

Here it is known beforehand which graders and exams there are. A student's own check runs the graders only, on the files
as they are. A mark needs graders and exam, with the course's answers in the place of all other exercises.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from solutions.diagnosis import INPUT
from solutions.grading.execution import BEGUN, FAILED, NEEDS, NOT_ATTEMPTED, PASSED, Outcome, Source
from solutions.grading.jobs import GONE, Request, RunResult
from solutions.grading.marking import Files, Graders, Marking
from solutions.grading.process import LIMIT
from solutions.grading.progress import (
    Progress,
    blank_functions,
    checks_of,
    left_over,
    progress,
    suspects,
    used_by,
)
from solutions.grading.reading import find_problem, hidden_errors, is_untouched, read_files
from solutions.grading.reference_substitution import needs, substituted
from solutions.sets import PUBLIC, Task, sets_with

TOTAL = 600.0
"""Seconds that a whole submission may take."""
MOST_NAMES = 2
"""Functions that a message names as those in which a mistake may be."""


@dataclass
class TaskResult:
    """How a task did. message: of the first thing that is wrong. printed: what the student's code printed then.

    graders: of each its outcome; where something was wrong before they began, there are none. progress: how far the
    student is, where the task has several functions. stuck: whether the file could not be loaded in time.
    """

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
    def output(self) -> str:
        """What the student's code printed where it failed, so that `print` is of use there."""
        return self.printed if self.status == FAILED else ""

    @property
    def score(self) -> float:
        return self.task.points if self.status == PASSED else 0.0


def grade(
    folder: Path,
    tasks: Sequence[Task],
    *,
    limit: float = LIMIT,
    total: float = TOTAL,
    marking: Marking | None = None,
    graders: Graders | None = None,
    files: Mapping[str, dict[str, Source]] | None = None,
) -> list[TaskResult]:
    """Grade the tasks on the files of a submission, with `limit` seconds a check and `total` for everything.

    Without `marking` this is a student's own check: the graders only, on the files as they are. graders: a server of
    them that is there already, for one check after another. files: of each set those to grade, by module name; without
    them those in the folder.
    """
    if files is None:
        files = {exercises.name: read_files(folder, exercises) for exercises in sets_with(tasks)}
    results = {task.number: before_running(task, files[task.exercises.name], folder) for task in tasks}
    waiting = [task for task in tasks if results[task.number] is None]
    if not waiting:
        return list(results.values())
    sets = sets_with(waiting)
    started = time.monotonic()

    def patience() -> float:
        return min(limit, max(round(started + total - time.monotonic(), 1), 0.1))

    with ExitStack() as own_server:
        if marking:
            graders = marking.graders
        elif not graders:
            graders = own_server.enter_context(Graders(sets))
        for exercises in sets:
            own = [task for task in waiting if task.exercises == exercises]
            results |= grade_set(graders, marking, own, files[exercises.name], patience)
            for task in own if not marking else ():
                tell_of_earlier(graders, results, task, files[exercises.name], patience)
    for task in waiting if marking else ():
        tell_of_others(marking, results, task, files[task.exercises.name], patience())
    return list(results.values())


def before_running(task: Task, files: dict[str, Source], folder: Path) -> TaskResult | None:
    """The result of a task for which nothing has to run."""
    if is_untouched(task, files):
        return TaskResult(task, NOT_ATTEMPTED)
    problem = find_problem(task, files, folder)
    return TaskResult(task, FAILED, problem) if problem else None


def grade_set(
    graders: Graders,
    marking: Marking | None,
    tasks: list[Task],
    files: dict[str, Source],
    patience: Callable[[], float],
) -> dict[str, TaskResult]:
    """Tasks of a set: all graders of each, then the exams of those that pass. Only the first error is reported."""
    mixed = {task.number: Files(*substituted(task, files)) if marking else Files(files) for task in tasks}
    first = {task.number: bool(marking) and not blank_functions(task, files[task.file].text) for task in tasks}
    requests = [graders.request(task, mixed[task.number], first[task.number]) for task in tasks]
    results = {}
    for task, ran in zip(tasks, run_in_time(graders, requests, patience), strict=True):
        about = {"graders": ran.outcomes, "printed": ran.printed, "stuck": bool(ran.stuck)}
        results[task.number] = judged(TaskResult(task, PASSED, **about), files)
    for result in results.values():
        if not result.failing or result.stuck or NEEDS in result.message:
            continue
        misconception = graders.diagnose(result.task, mixed[result.task.number], patience())
        if misconception:
            result.message = misconception + hidden_errors(files[result.task.file])
            named = next((name for name in result.task.functions if misconception.startswith(f"in {name}: ")), "")
            result.progress = result.progress.blaming(named) if result.progress and named else result.progress
    if not marking:
        return results
    examined = [result for result in results.values() if result.status == PASSED and result.task.exam]
    requests = [marking.exams.request(result.task, mixed[result.task.number]) for result in examined]
    for result, ran in zip(examined, run_in_time(marking.exams, requests, patience), strict=True):
        outcome = marking.exams.verdict(result.task, ran)
        if outcome.status != PASSED:
            result.status, result.printed = outcome.status, ran.printed
            result.message = outcome.message + hidden_errors(files[result.task.file])
    return results


def run_in_time(graders: Graders, requests: list[Request], patience: Callable[[], float]) -> Iterator[RunResult]:
    """Run requests together; where one took long, the rest has what time is left. A file that could not be loaded in
    time for one task is not loaded again for the next.
    """
    stuck: dict[str, RunResult] = {}
    while requests:
        if requests[0].task.file in stuck:
            yield ended_like(stuck[requests[0].task.file], requests.pop(0))
            continue
        limit = patience()
        some = [*takewhile(lambda request: request.task.file not in stuck, requests if limit > 1 else requests[:1])]
        started = time.monotonic()
        for request, ran in zip(some, graders.server.run_some(some, limit), strict=False):
            del requests[0]
            yield ran
            if ran.stuck == request.files[request.task.file].path:
                stuck[request.task.file] = ran
            if ran.stuck or time.monotonic() - started > limit / 2:
                break


def ended_like(ran: RunResult, request: Request) -> RunResult:
    """What a request would end with whose file has not been loaded in time for another one."""
    message = next(outcome.message for outcome in ran.outcomes.values() if outcome.status == FAILED)
    outcomes = dict.fromkeys(request.names, Outcome(FAILED, GONE))
    return RunResult(
        True, {**outcomes, request.names[0]: Outcome(FAILED, message)}, printed=ran.printed, stuck=ran.stuck
    )


def judged(result: TaskResult, files: dict[str, Source]) -> TaskResult:
    """The result with what its graders have found: status, message, and how far the student is."""
    task, source = result.task, files[result.task.file]
    if result.graders and all(outcome.status == PASSED for outcome in result.graders.values()):
        return result
    result.progress = progress(task, source, result.graders)
    wrong = next((outcome for outcome in result.graders.values() if outcome.status == FAILED), None)
    if wrong:
        result.status, result.message = FAILED, where(result, files) + wrong.message + hidden_errors(source)
    elif not result.graders:
        result.status, result.message = FAILED, f"exercise {task.number} has no grader"
    elif not result.progress.blank:
        message = "the line `raise NotImplementedError` is still there: remove it"
        result.status, result.message = FAILED, left_over(task, source) + message
    elif len(result.progress.blank) == len(task.functions):
        result.status = NOT_ATTEMPTED
    else:
        result.status, result.message = BEGUN, str(result.progress)
    return result


def where(result: TaskResult, files: dict[str, Source]) -> str:
    """In which function the mistake is, "in NAME: ", where the message does not name file and line itself."""
    failing = next(grader for grader in result.task.exercises.graders if grader.name == result.failing)
    if result.graders[failing.name].message.startswith(tuple(source.path for source in files.values())):
        return ""
    checks, blank = checks_of(result.task, result.graders), blank_functions(result.task, files[result.task.file].text)
    names = suspects(result.task, failing, checks, blank)
    if failing.name.startswith(PUBLIC) and INPUT not in result.graders[failing.name].message:
        names = used_by(result.task, failing, blank)  # it asks more of a function than the checks that found it right
    return f"in {' or '.join(names)}: " if 0 < len(names) <= MOST_NAMES else ""


def tell_of_others(
    marking: Marking,
    results: dict[str, TaskResult],
    task: Task,
    files: dict[str, Source],
    limit: float,
) -> None:
    """The mark of a task is made with the course's answers to the others; say how it does with the student's own."""
    result = results[task.number]
    earlier = [other.number for other in needs(task)]
    failed = [number for number in earlier if number in results and results[number].status != PASSED]
    if not failed or result.status not in (PASSED, FAILED) or not task.exam:
        return
    stuck = next((results[number] for number in failed if results[number].stuck), None)
    own = Outcome(FAILED, stuck.message) if stuck else marking.exams.judge(task, files, limit)
    course = f"the course's {' and '.join(failed)}"
    if result.status == PASSED and own.status != PASSED:
        result.message = f"right, with {course}; with your own it is not: {own.message or 'that is still blank'}"
    elif result.status == FAILED:
        same = "neither is it with your own" if own.status != PASSED else "with your own, which do not pass, it is"
        result.message = f"with {course} it is not right: {result.message}; {same}"


def tell_of_earlier(
    graders: Graders,
    results: dict[str, TaskResult],
    task: Task,
    files: dict[str, Source],
    patience: Callable[[], float],
) -> None:
    """Where a student's own check fails, which exercises that it uses do not pass themselves."""
    result = results[task.number]
    if result.status != FAILED or not result.graders or NEEDS in result.message:
        return
    below = [other for other in needs(task, files[task.file].text) if other.file in files]
    unknown = [other for other in below if other.number not in results]
    others = {other.number: before_running(other, files, Path()) for other in unknown}
    unknown = [other for other in unknown if others[other.number] is None]
    others |= grade_set(graders, None, unknown, files, patience)
    wrong = [other.number for other in below if (results.get(other.number) or others[other.number]).status != PASSED]
    if wrong:
        which = f"exercises {' and '.join(wrong)}, which do" if wrong[1:] else f"exercise {wrong[0]}, which does"
        result.message += f" (it uses {which} not pass yet: begin there)"
        result.progress = None
