"""A wrong answer costs points where it is wrong, and nowhere else: of every exercise that uses another one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from solutions.grading.execution import FAILED, PASSED
from solutions.grading.marking import Marking
from solutions.grading.reference_substitution import needs
from solutions.grading.running import TaskResult, grade
from solutions.sets import ExerciseSet, Task, choose, find_sets, sets_of
from solutions.stubs import functions, read_tree
from tests.submissions import without_marks

pytestmark = pytest.mark.slow

TASKS = choose(find_sets(), "")
DEPENDENT = [task.number for task in TASKS if needs(task)]


def spoilt(exercises: ExerciseSet, file: str, right: Task) -> str:
    """A file of answers in which all functions of tasks raise an error, but for those of one task."""
    lines = without_marks(exercises.answers[file]).splitlines()
    defined = functions(read_tree("\n".join(lines)))
    wrong = [task for task in exercises.tasks.values() if task.file == file and task != right]
    names = [name for task in wrong for name in task.functions]
    for name in sorted(names, key=lambda name: -defined[name].lineno):
        first, *_ = defined[name].body
        indent = " " * first.col_offset
        lines[first.lineno - 1 : defined[name].end_lineno] = [f"{indent}raise ArithmeticError('spoilt')"]
    return "\n".join(lines) + "\n"


def write(folder: Path, exercises: ExerciseSet, texts: dict[str, str]) -> Path:
    (folder / exercises.name).mkdir(parents=True)
    for file, text in texts.items():
        (folder / exercises.name / f"{file}.py").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def marking() -> Iterator[Marking]:
    with Marking(TASKS, limit=60, memory=4) as marking:
        yield marking


@pytest.fixture(scope="module")
def results(marking: Marking, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[TaskResult]]:
    """Of each task, and those that it uses, where it is right and all others of the chapter are wrong."""
    place = tmp_path_factory.mktemp("work")  # before the threads: two at once cannot make the first folder

    def only_right(task: Task) -> list[TaskResult]:
        texts = {file: spoilt(task.exercises, file, task) for file in task.exercises.answers}
        folder = write(place / task.number, task.exercises, texts)
        return grade(folder, [*needs(task), task], limit=60, marking=marking)

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return {task.number: graded for task, graded in zip(TASKS, pool.map(only_right, TASKS), strict=True)}


def test_there_are_dependencies() -> None:
    assert {"4.4", "6.6", "7.3", "8.7", "9.6"} <= {*DEPENDENT}
    assert "9.4" not in DEPENDENT, "`gate` is an argument there, and not the function of 9.3"


@pytest.mark.needs("cores", "time")
@pytest.mark.parametrize("number", [task.number for task in TASKS])
def test_what_is_right_has_its_points_though_all_else_is_wrong(
    number: str, results: dict[str, list[TaskResult]]
) -> None:
    *earlier, result = results[number]
    assert (result.status, result.score) == (PASSED, result.task.points), result.message
    assert all(other.status == FAILED and other.score == 0 for other in earlier)
    names = " and ".join(other.task.number for other in earlier)
    told = f"right, with the course's {names}; with your own it is not: " if earlier else ""
    assert result.message.startswith(told) and bool(result.message) == bool(earlier)


@pytest.mark.needs("time")
def test_two_errors_that_undo_each_other_have_no_points(marking: Marking, tmp_path: Path) -> None:
    """Contexts with the newest word first, and a loss that turns them round again."""
    (four,) = sets_of([4])
    texts = {file: without_marks(text) for file, text in four.answers.items()}
    texts["windows"] = re.sub(r"return (np\.stack\(.*\))", r"return \1[::-1]", texts["windows"])
    texts["network"] = texts["network"].replace(
        "contexts(inputs, weights.order)", "contexts(inputs, weights.order)[::-1]"
    )
    assert "[::-1]" in texts["windows"] and "order)[::-1]" in texts["network"]
    tasks = [four.tasks[number] for number in ("4.2", "4.4")]
    early, late = grade(write(tmp_path, four, texts), tasks, limit=60, marking=marking)
    assert (early.status, late.status) == (FAILED, FAILED)
    assert late.message.startswith("with the course's 4.2 it is not right: ")
    assert late.message.endswith("; with your own, which do not pass, it is")
