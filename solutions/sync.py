"""`python -m solutions sync`: write the blanks into exercises/, never over anybody's work, and what graders expect."""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterable
from pathlib import Path

from common.errors import UserError
from common.files import atomic_write
from solutions.diagnosis import MISCONCEPTIONS
from solutions.grading.dynet_setup import prepare
from solutions.grading.marking import answer_files
from solutions.misconceptions import record_mistakes
from solutions.public_exam import EXPECTED, record
from solutions.sets import EXERCISES, ExerciseSet, sets_of
from solutions.stubs import blank_task, functions, is_answer, is_bare, is_text, statements


def add_arguments(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser("sync", help="write the blanks into exercises/; never over a student's work")
    parser.add_argument("chapters", nargs="*", type=int, metavar="CHAPTER", help="only these (default: all)")
    parser.set_defaults(func=lambda arguments: sync_all(sets_of(arguments.chapters)))


def sync_all(sets: list[ExerciseSet]) -> None:
    """Write all that is made of the answers of these sets."""
    sync(sets)
    write_expected(sets)
    write_mistakes(sets)


def sync(sets: list[ExerciseSet], folder: Path = EXERCISES) -> list[Path]:
    """Write every blank that is missing or out of date; the files written. Raises `UserError` where one holds work."""
    blanks = {}
    for exercises in sets:
        blanks |= {folder / exercises.name / f"{name}.py": stub for name, stub in exercises.stubs.items()}
    stale = [path for path, stub in blanks.items() if not is_blank(path, stub)]
    for path in stale:
        if path.exists() and holds_work(path.read_bytes(), blanks[path]):
            raise UserError(f"{path} contains somebody's work; move it away, then sync again. Nothing was written")
    for path in stale:
        write_changed(path, blanks[path])
    return stale


def write_expected(sets: Iterable[ExerciseSet]) -> None:
    """Write what the answers give to the questions that graders draw, where that has changed."""
    prepare()
    for exercises in sets:
        if all(map(is_answer, exercises.answers.values())):
            path = exercises.folder / EXPECTED
            files = {task.number: task.file for task in exercises.tasks.values()}
            write_changed(path, record(answer_files(exercises), files, exercises.folder))


def write_mistakes(sets: Iterable[ExerciseSet]) -> None:
    """Write what the wrong answers with a sentence give to the same questions, where that has changed."""
    for exercises in sets:
        if exercises.mutants:
            write_changed(exercises.folder / MISCONCEPTIONS, record_mistakes(exercises))


def write_changed(path: Path, text: str) -> None:
    if not is_blank(path, text):
        with atomic_write(path) as file:
            file.write(text)
        print(f"wrote {path}")


def is_blank(path: Path, stub: str) -> bool:
    """Whether a file is there and says what the answer makes of it, and nothing else."""
    return path.is_file() and path.read_bytes().decode("utf-8", errors="replace").replace("\r\n", "\n") == stub


def holds_work(text: str | bytes, stub: str) -> bool:
    """Whether a file is more than a blank, perhaps an older one: a function filled in, or anything of one's own.

    Comments do not count.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return True
    blanks = functions(ast.parse(stub))
    for name, function in functions(tree).items():
        if blank_task(function):
            if name in blanks and not blank_task(blanks[name]) and not is_bare(function):
                return True
            if name in blanks and len(statements(function)) > len(statements(blanks[name])):
                return True
        elif name not in blanks or blank_task(blanks[name]):
            return True
    return bool(assigned(tree) - assigned(ast.parse(stub)))


def assigned(tree: ast.Module | ast.ClassDef) -> set[str]:
    """The names of values and classes of a module, also inside of classes, and statements that are no definitions."""
    names = set()
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {ast.unparse(target) for target in targets}
        elif isinstance(node, ast.ClassDef):
            names |= {node.name, *(f"{node.name}.{name}" for name in assigned(node))}
        elif not isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef)):
            names.add(ast.unparse(node) if not is_text(node) else "")
    return names - {""}
