"""What `python -m exercises` does. Every command returns the exit status: 1 where a check fails, otherwise 0."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from common.errors import UserError
from common.text.vocab import counted
from exercises.files import answer_to, place_of, reset_task
from exercises.terminal import GREEN, RED, YELLOW, paint
from solutions.grading.execution import BEGUN, FAILED, NOT_ATTEMPTED, PASSED
from solutions.grading.marking import Graders
from solutions.grading.reading import is_untouched, locate, read_files
from solutions.grading.running import TaskResult, grade
from solutions.sets import LEVELS, Task, choose, find_sets, sets_with
from solutions.stubs import is_answer

BAR = 20
PRINTED = 20
"""Lines that are shown of what a student's code prints."""
COLOURS = {PASSED: GREEN, FAILED: RED, BEGUN: YELLOW}
ALL_PASS = "all exercises pass: nothing is left to do"


def check(folder: Path, which: str) -> int:
    """Check the requested exercises, and say what is wrong with each."""
    results = grade(folder, choose(find_sets(), which))
    for result in results:
        if which or result.status != NOT_ATTEMPTED:
            report(result)
    number = Counter(result.status for result in results)
    begun_part = f"{number[BEGUN]} begun, " if number[BEGUN] else ""
    print(f"{number[PASSED]} of {len(results)} passed, {begun_part}{number[NOT_ATTEMPTED]} not attempted")
    return int(any(result.status == FAILED for result in results))


def report(result: TaskResult) -> None:
    """One exercise: how it did, where something is wrong what, how far it is, and what it printed."""
    print(row(result))
    if result.message:
        print(f"      {result.message}")
    if result.failing:
        place = next(grader.place for grader in result.task.exercises.graders if grader.name == result.failing)
        print(f"      (the check is {result.failing} in solutions/{result.task.exercises.name}/{place})")
    if result.status == FAILED and result.progress and str(result.progress):
        print(f"      {result.progress}")
    lines = result.printed.splitlines()
    if lines:
        print("      it printed:")
        print("\n".join(f"      | {line}" for line in lines[:PRINTED]))
    if len(lines) > PRINTED:
        print(f"      | ... and {counted(len(lines) - PRINTED, 'more line')}")


def row(result: TaskResult) -> str:
    """An exercise in a line: number, status, title."""
    return f"{result.task.number:5} {paint(f'{result.status:14}', COLOURS.get(result.status))} {result.task.title}"


def show_next(folder: Path) -> int:
    """The first exercise that does not pass, and the commands for it."""
    for exercises in find_sets():
        for result in grade(folder, choose([exercises], "")):
            if result.status != PASSED:
                status = report_next(folder, result)
                print(f"      python -m exercises check {result.task.number}")
                print(f"      python -m exercises hint {result.task.number}")
                return status
    print(ALL_PASS)
    return 0


def report_next(folder: Path, result: TaskResult) -> int:
    """An exercise that does not pass, and where it is."""
    report(result)
    first = result.progress.next if result.progress else result.task.functions[0]
    print(f"next: {place_of(folder, result.task, first)}, about {result.task.minutes} minutes")
    return int(result.status == FAILED)


def overview(folder: Path) -> int:
    """How far the student is, and the next exercise."""
    results = grade(folder, choose(find_sets(), ""))
    show_bars(results)
    print()
    unfinished = next((result for result in results if result.status != PASSED), None)
    if not unfinished:
        print(ALL_PASS)
        return 0
    return report_next(folder, unfinished)


def progress(folder: Path) -> int:
    """A bar for each chapter, in columns, and the sum."""
    results = grade(folder, choose(find_sets(), ""))
    show_bars(results)
    print(f"{sum(result.score for result in results):g} points")
    return 0


def show_bars(graded: list[TaskResult]) -> None:
    """A line for each chapter."""
    for exercises in sets_with(result.task for result in graded):
        results = [result for result in graded if result.task.exercises == exercises]
        passed = sum(result.status == PASSED for result in results)
        score, points = sum(result.score for result in results), sum(result.points for result in results)
        done = f"{passed:2} of {len(results):2}, {score:3g} of {points:3g} points"
        print(f"{exercises.chapter:2} {bar(passed, len(results))} {done}  {exercises.title}")  # a title has any length


def bar(passed: int, number: int) -> str:
    """A bar of which the part is full that passes."""
    full = BAR * passed // number
    return f"[{paint('#' * full, GREEN)}{'.' * (BAR - full)}]"


def hint(folder: Path, which: str, level: int) -> int:
    """One of three hints."""
    task = single(which)
    show_hint(task, level)
    if level < len(LEVELS):
        print(f"more: python -m exercises hint {task.number} {level + 1}")
    return 0


def show_hint(task: Task, level: int) -> None:
    """A hint of a level, 1 to 3."""
    print(f"{task.number} {task.title}, hint {level} of {len(LEVELS)} ({LEVELS[level - 1]}):")
    print(task.hints[level - 1])


def reveal(folder: Path, which: str, give_up: bool, graders: Graders | None = None) -> int:
    """The course's answer. Raises `UserError` before the student's passes, and where the edition has no answers.

    graders: that run already.
    """
    task = single(which)
    if not is_answer(task.exercises.answers[task.file]):
        raise UserError(f"this edition of the course has no answers; ask your instructor for the one to {which}")
    (result,) = grade(folder, [task], graders=graders)
    if result.status != PASSED and not give_up:
        raise UserError(f"{which} is {result.status}; the answer is shown once yours passes, or with --give-up")
    print(answer_to(task))
    return 0


def reset(folder: Path, which: str, file: bool) -> int:
    """Make an exercise blank again, keeping what was there."""
    task = single(which)
    path = locate(folder, task.exercises) / f"{task.file}.py"
    if is_untouched(task, read_files(folder, task.exercises)) and not file:
        print(f"{path}: {which} is blank as it is")
        return 0
    copy = reset_task(path, task, file)
    print(
        f"{path}: {'everything' if file else which} is blank again" + (f"; what was there is in {copy}" if copy else "")
    )
    return 0


def single(which: str) -> Task:
    """The one exercise of this number. Raises `UserError` where it is none, or a whole chapter."""
    matches = choose(find_sets(), which)
    if len(matches) != 1 or matches[0].number != which:
        raise UserError(f"{which} is a chapter; name one exercise, for example {matches[0].number}")
    return matches[0]
