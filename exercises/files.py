"""The student's files: where an exercise is, how it is made blank again, and what the course would have written."""

from __future__ import annotations

import ast
from pathlib import Path

from common.errors import UserError
from common.files import atomic_write
from solutions.grading.reading import locate, show_path
from solutions.sets import Task
from solutions.stubs import BEGIN, END, Function, functions, lines_of, lines_of_names


def place_of(folder: Path, task: Task, function: str) -> str:
    """File and line of a function of an exercise, in words."""
    path, line = find(folder, task, function)
    return f"{show_path(path)}, line {line}" if line else show_path(path)


def find(folder: Path, task: Task, function: str) -> tuple[Path, int]:
    """File and line of a function of an exercise; 0 for the line where there is no such function."""
    path = locate(folder, task.exercises) / f"{task.file}.py"
    try:
        return path, lines_of_names(ast.parse(path.read_text(encoding="utf-8-sig")))[function]
    except (OSError, SyntaxError, ValueError, KeyError):
        return path, 0


def span(function: Function) -> tuple[int, int]:
    """The lines of a function with its decorators: the first, and the one after the last, counted from 0."""
    first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
    return first - 1, function.end_lineno


def reset_task(path: Path, task: Task, whole_file: bool) -> Path | None:
    """Put the blank in place of an exercise's functions, or of the whole file; where the work before it is kept.

    Raises `UserError` where the functions cannot be found in the file.
    """
    stub = task.exercises.stubs[task.file]
    text = path.read_bytes().decode("utf-8-sig", errors="replace") if path.exists() else ""
    blank = stub if whole_file or not text else with_blanks(path, text, stub, task)
    copy = keep(path) if text else None
    with atomic_write(path) as file:
        file.write(blank)
    return copy


def with_blanks(path: Path, text: str, stub: str, task: Task) -> str:
    """The file's text with the functions of one task blank and everything else as it is."""
    whole = f"reset {task.number} --file makes the whole file blank"
    try:
        own = functions(ast.parse(text))
    except (SyntaxError, ValueError) as error:
        raise UserError(f"{path}: Python cannot read it ({error}); {whole}") from None
    lines, blanks = lines_of(text), functions(ast.parse(stub))
    for name in sorted(task.functions, key=lambda name: -own[name].lineno if name in own else 0):
        if name not in own:
            raise UserError(f"{path}: there is no function {name}; {whole}")
        (start, end), (first, last) = span(own[name]), span(blanks[name])
        lines[start:end] = lines_of(stub)[first:last]
    return "".join(lines)


def keep(path: Path) -> Path:
    """A copy of a file in its folder, under the first free name FILE.kept-1, FILE.kept-2, ..."""
    number = 1
    while True:
        copy = path.with_name(f"{path.name}.kept-{number}")
        try:
            with open(copy, "xb") as file:
                file.write(path.read_bytes())
            return copy
        except FileExistsError:
            number += 1


def answer_to(task: Task) -> str:
    """The course's functions for an exercise, without the marks."""
    text = task.exercises.answers[task.file]
    lines = [line for line in text.splitlines() if not (BEGIN.match(line) or END.match(line))]
    defined = functions(ast.parse("\n".join(lines)))
    spans = (span(defined[name]) for name in task.functions)
    return "\n\n\n".join("\n".join(lines[start:end]) for start, end in spans)
