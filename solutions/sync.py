"""`python -m solutions sync`: write the blanks into exercises/, and never over anybody's work."""

from __future__ import annotations

import argparse
import ast
from pathlib import Path

from common.errors import UserError
from common.files import atomic_write
from solutions.sets import EXERCISES, ExerciseSet, find_sets
from solutions.stubs import blank_task, functions, is_bare


def add_arguments(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser("sync", help="write the blanks into exercises/; never over a student's work")
    parser.set_defaults(func=lambda arguments: sync())


def sync(sets: list[ExerciseSet] | None = None, exercises: Path = EXERCISES) -> list[Path]:
    """Write every blank that is missing or out of date; the files written. Raises `UserError` where one holds work."""
    wanted = {
        exercises / one.name / f"{name}.py": stub for one in sets or find_sets() for name, stub in one.stubs.items()
    }
    stale = [path for path, stub in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != stub]
    for path in stale:
        if path.exists() and holds_work(path.read_text(encoding="utf-8"), wanted[path]):
            raise UserError(f"{path} holds somebody's work; move it away, then sync again. Nothing was written")
    for path in stale:
        with atomic_write(path) as file:
            file.write(wanted[path])
        print(f"wrote {path}")
    return stale


def holds_work(text: str, stub: str) -> bool:
    """Whether a file is more than a blank, perhaps an older one: a function filled in, or anything of one's own."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return True
    names = set(functions(ast.parse(stub)))
    tasks = {blank_task(function) for function in functions(ast.parse(stub)).values()} - {""}
    for name, function in functions(tree).items():
        if blank_task(function) and not is_bare(function):
            return True
        if not blank_task(function) and (name not in names or blank_task(functions(ast.parse(stub))[name]) in tasks):
            return True
    return False
