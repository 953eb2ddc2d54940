"""What the known wrong answers give to the questions of the public exams: the text of `misconceptions.json`."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from solutions.diagnosis import differs, fingerprint, is_error
from solutions.grading.execution import Source
from solutions.grading.marking import Exams, Files, answer_files, mutated_files
from solutions.grading.process import LIMIT
from solutions.sets import ExerciseSet, Mutant, Task
from solutions.stubs import functions

DIGITS = 7
"""Significant digits of a recorded fingerprint."""


def record_mistakes(exercises: ExerciseSet) -> str:
    """The text of misconceptions.json: for each task its mutants with a sentence, each with its wrong values."""
    lines = {}
    with Exams([exercises], guarded=False) as exams:
        for number, task in exercises.tasks.items():
            mutants = [mutant for mutant in exercises.mutants if mutant.task == number and mutant.misconception]
            right, *records = records_of(
                exams, task, [answer_files(exercises), *(mutated_files(exercises, mutant) for mutant in mutants)]
            )
            entries = []
            for mutant, record in zip(mutants, records, strict=True):
                wrong = wrong_values(record, right, task.exam.tolerance)
                entry = {"sentence": mutant.misconception, "function": function_of(exercises, task, mutant)}
                entries.append(json.dumps(entry | {"wrong": wrong}, ensure_ascii=False))
            lines[number] = ",\n".join(f"  {entry}" for entry in entries)
    return "{\n" + ",\n".join(f'"{number}": [\n{text}\n]' for number, text in lines.items()) + "\n}\n"


def records_of(exams: Exams, task: Task, works: Iterable[dict[str, Source]]) -> list[list[tuple[str, object]]]:
    """What each of these works gives to the questions of the public exam of a task."""
    requests = [exams.request(task, Files(work)) for work in works]
    public = [replace(request, seed=f"public {task.number}", stays=True) for request in requests]
    return [ran.record for ran in exams.server.run_some(public, LIMIT)]


def wrong_values(record: Sequence, right: Sequence, tolerance: float) -> list[tuple[int, float, float]]:
    """Where a record is wrong: the place of the question, and the fingerprint of the value.

    Errors are left out where there are wrong values: the same idea, written in another way, may have others.
    """
    wrong = []
    for place, ((_, value), (_, expected)) in enumerate(zip(record, right, strict=False)):
        if differs(value, expected, tolerance):
            wrong.append((place, value))
    wrong = [(place, value) for place, value in wrong if not is_error(value)] or wrong
    return [(place, *(float(f"{part:.{DIGITS}g}") for part in fingerprint(value))) for place, value in wrong]


def function_of(exercises: ExerciseSet, task: Task, mutant: Mutant) -> str:
    """The function of the task in which a mutant's text is, or the first one."""
    text = exercises.answers[task.file]
    line = text[: text.index(mutant.right)].count("\n") + 1 + (mutant.right.startswith("\n"))
    for name, function in functions(ast.parse(text)).items():
        if name in task.functions and function.lineno <= line <= function.end_lineno:
            return name
    return task.functions[0]
