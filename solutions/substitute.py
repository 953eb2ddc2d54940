"""`train.py --from exercises`: what a student has written takes the place of the course's own functions.

Which function can replace which, the set of exercises says (`replaces` in solutions/chNN_name/hints.toml). Only an
exercise whose graders pass is used: a model that trains for an hour on a wrong function teaches nothing.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from common.errors import UserError
from common.training import setup
from solutions.grading import reading, running
from solutions.grading.execution import NOT_ATTEMPTED, PASSED, Submission
from solutions.sets import find_sets


def use_exercises(chapter: str, folder: str) -> list[str]:
    """Put the student's functions of a chapter in place of the course's, in everything that has imported them or will.

    folder: where the student's files are; "" does nothing. A line for each exercise: used, or still blank. Raises
    `UserError` where one fails its graders, and where there is none to use. DyNet must have been set up.
    """
    if not folder:
        return []

    if not Path(folder).is_dir():
        raise UserError(f"--from {folder}: no such folder; the exercises are in the folder exercises")
    sets = [exercises for exercises in find_sets() if exercises.chapter == int(chapter[:2])]
    tasks = [task for exercises in sets for task in exercises.tasks.values() if task.replaces]
    lines, used = [], 0
    for result in running.grade(Path(folder), tasks) if tasks else ():
        number, names = result.task.number, " and ".join(name for name, _ in result.task.replaces)
        if result.status == NOT_ATTEMPTED:
            lines.append(f"exercise {number} is still blank: the course's own {names}")
            continue
        if result.status != PASSED:
            raise UserError(f"--from {folder}: exercise {number} ({names}) does not pass: {result.message}")
        exercises = result.task.exercises
        submission = Submission(reading.read_files(Path(folder), exercises), frozenset(exercises.answers))
        with submission.importable():
            module = submission.load(result.task.file)
        for name, target in result.task.replaces:
            replace(target, getattr(module, name))
        lines.append(f"exercise {number}: {names} from {submission.files[result.task.file].path}")
        used += 1
    if not used:
        there = ", ".join(task.number for task in tasks) or "none of this chapter"
        raise UserError(f"--from {folder}: nothing to train with yet; exercises that can be used: {there}")
    return lines


def offer() -> None:
    """Let training programs of this process use `use_exercises` for --from."""
    setup.substitute = use_exercises


def replace(target: str, replacement: object) -> None:
    """Let every name of the function "module:function" refer to another one, and every table that it is a choice of, or
    part of a choice.

    "module:Class.method" is a method: all objects of the class have the new one, and are its first argument.
    """
    module, _, name = target.partition(":")
    owner, _, method = name.rpartition(".")
    if owner:
        kind = getattr(importlib.import_module(module), owner)
        setattr(kind, method, lambda *inputs, **others: replacement(*inputs, **others))  # an object is no method
        return
    original = getattr(importlib.import_module(module), name)
    for loaded in list(sys.modules.values()):
        names = getattr(loaded, "__dict__", {})
        for table in (names, *(value for value in list(names.values()) if type(value) is dict)):
            for key, value in list(table.items()):
                if value is original:
                    table[key] = replacement
                elif type(value) is tuple and any(part is original for part in value):
                    table[key] = tuple(replacement if part is original else part for part in value)
