"""Reading a student's files without running them: what can be said before a grader begins, and which lines to read."""

from __future__ import annotations

import ast
import difflib
import os
from pathlib import Path

from solutions.grading.execution import Source
from solutions.grading.members import IGNORED, Reader
from solutions.grading.printed import escaped
from solutions.sets import ExerciseSet, Task
from solutions.stubs import Function, functions, lines_of_names, read_tree

UNUSUAL = {"os", "sys", "subprocess", "gc", "inspect", "ctypes", "importlib", "builtins", "socket", "threading",
           "multiprocessing", "atexit", "signal", "shutil", "pickle", "solutions", "exercises", "faulthandler", "io",
           "pathlib", "traceback", "json", "weakref", "types", "concurrent", "asyncio", "_thread"}  # fmt: skip
UNUSUAL_NAMES = {"eval", "exec", "compile", "__import__", "open", "globals", "vars", "setattr", "delattr"}
UNUSUAL_ATTRIBUTES = {"tb_frame", "f_back", "f_locals", "f_globals", "__globals__", "__code__", "__subclasses__",
                      "__traceback__", "__closure__", "__dict__", "__builtins__", "_getframe"}  # fmt: skip


DEEPEST, MOST = 4, 2000
"""How deep in a submission a set of exercises is searched for, and in how many folders."""


def locate(folder: Path, exercises: ExerciseSet) -> Path:
    """Where a student works on a set: in exercises/NAME, in NAME, in a folder that is called so, or deeper. Of several
    places the first in this order, then the least deep. (For a mark, `submission.py` compares all places.)"""
    candidates = [
        folder / "exercises" / exercises.name,
        folder / exercises.name,
        *([folder] if folder.name == exercises.name else []),
    ]
    return next((path for path in [*candidates, *deeper(folder, exercises.name)] if path.is_dir()), candidates[1])


def deeper(folder: Path, name: str) -> list[Path]:
    """The folders of this name somewhere below, those in a folder `exercises` first. Links are not followed, and blanks
    of an edition of the course, in its folder `solutions`, do not count."""
    matches, visited = [], 0
    for place, folders, _ in os.walk(folder):
        visited += 1
        if visited > MOST:
            break
        depth = len(Path(place).relative_to(folder).parts)
        folders[:] = sorted(name for name in folders if name not in IGNORED and name[0] != "." and depth < DEEPEST)
        if name in folders:
            matches.append(Path(place) / name)
    return sorted(matches, key=lambda path: (path.parent.name != "exercises", len(path.parts)))


def read_files(folder: Path, exercises: ExerciseSet) -> dict[str, Source]:
    """The files of a set where a student works, by module name. One that cannot be read counts as missing."""
    place, reader, sources = locate(folder, exercises), Reader(folder), {}
    for name in exercises.answers:
        path = place / f"{name}.py"
        text = reader.of_file(path, (path.name,)).text
        if text is not None:
            sources[name] = Source(show_path(path), text)
    return sources


def show_path(path: Path) -> str:
    """A path as one would type it: from the current folder, where it lies below. A name that is no text is escaped."""
    try:
        path = path.resolve().relative_to(Path.cwd())
    except (ValueError, OSError, RuntimeError):
        pass
    return printable(os.fspath(path))


def printable(name: str) -> str:
    """A name in one line that can be printed and written, whatever bytes it is made of."""
    return escaped(os.fsencode(name).decode("utf-8", "backslashreplace"))


def parse(source: Source) -> ast.Module | str:
    """The syntax tree of a file, or in one line why there is none."""
    try:
        return read_tree(source.text, source.path)
    except SyntaxError as error:
        return f"{source.path}, line {error.lineno}: {type(error).__name__}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return f"{source.path}: Python cannot read it ({error or type(error).__name__})"


def find_problem(task: Task, files: dict[str, Source], folder: Path) -> str:
    """What is wrong with a task's functions before anything runs: one line, or ""."""
    if task.file not in files:
        path = show_path(locate(folder, task.exercises) / f"{task.file}.py")
        if folder.is_file():
            path = f"{task.exercises.name}/{task.file}.py in {printable(folder.name)}"
        return f"{path}: no such file, or no UTF-8 text of less than a megabyte"
    source = files[task.file]
    tree = parse(source)
    if isinstance(tree, str):
        return tree
    defined, blanks = functions(tree), functions(read_tree(task.exercises.stubs[task.file]))
    lines = lines_of_names(tree)
    for name in task.functions:
        if name not in lines:
            near = difflib.get_close_matches(name, lines, 1)
            line = lines[near[0]] if near else max(source.text.count("\n"), 1)
            return (
                f"{source.path}, line {line}: there is no function {name}; exercise {task.number} must keep this name"
            )
        if name in defined and not accepts(arguments(defined[name]), arguments(blanks[name])):
            line, signature = lines[name], ", ".join(arguments(blanks[name]))
            return f"{source.path}, line {line}: {name} must keep the arguments it was given: ({signature})"
    return ""


def accepts(own: list[str], given: list[str]) -> bool:
    """Whether a function can be called as it was given: all further arguments of its own have defaults."""
    kept = all(name in (other, f"{other}=") for name, other in zip(own, given, strict=False))
    further = own[len(given) :]
    return len(own) >= len(given) and kept and all(name.endswith("=") or name.startswith("*") for name in further)


def arguments(function: Function) -> list[str]:
    """The names of a function's arguments, with stars and with = where there is a default."""
    signature = function.args
    names = [*signature.posonlyargs, *signature.args]
    plain = [argument.arg for argument in names[: len(names) - len(signature.defaults)]]
    plain += [f"{argument.arg}=" for argument in names[len(names) - len(signature.defaults) :]]
    star = [f"*{signature.vararg.arg}"] if signature.vararg else ["*"] if signature.kwonlyargs else []
    keywords = [
        argument.arg + ("=" if default is not None else "")
        for argument, default in zip(signature.kwonlyargs, signature.kw_defaults, strict=True)
    ]
    return [*plain, *star, *keywords, *([f"**{signature.kwarg.arg}"] if signature.kwarg else [])]


def hidden_errors(source: Source) -> str:
    """Where a file catches every exception and says nothing of it, as a part of a message; "" where it does not."""
    tree = parse(source)
    for node in ast.walk(tree) if isinstance(tree, ast.Module) else ():
        if isinstance(node, ast.ExceptHandler) and not any(isinstance(inner, ast.Raise) for inner in ast.walk(node)):
            caught = node.type.id if isinstance(node.type, ast.Name) else "" if node.type else "Exception"
            if caught in ("Exception", "BaseException"):
                return f" ({source.path}, line {node.lineno}: this `except` hides whatever goes wrong before it)"
    return ""


def is_untouched(task: Task, files: dict[str, Source]) -> bool:
    """Whether all functions of a task are still as they were handed out."""
    if task.file not in files:
        return False
    tree = parse(files[task.file])
    if isinstance(tree, str):
        return False
    defined, blanks = functions(tree), functions(read_tree(task.exercises.stubs[task.file]))
    try:
        return all(name in defined and ast.dump(defined[name]) == ast.dump(blanks[name]) for name in task.functions)
    except RecursionError:  # an expression so deep is no blank
        return False


def look_twice(exercises: ExerciseSet, files: dict[str, Source]) -> list[str]:
    """What an honest answer rarely needs, for a person to read: names, each with file and line."""
    remarks = []
    for file, source in files.items():
        tree, allowed = parse(source), packages(read_tree(exercises.stubs[file]))
        for node in ast.walk(tree) if isinstance(tree, ast.Module) else ():
            match node:
                case ast.Import() | ast.ImportFrom():
                    strange = (packages(node) - allowed) & UNUSUAL
                case ast.Name(id=name) if name in UNUSUAL_NAMES:
                    strange = {name}
                case ast.Attribute(attr=name) if name in UNUSUAL_ATTRIBUTES:
                    strange = {name}
                case _:
                    strange = set()
            remarks += [f"{source.path}, line {node.lineno}: {name}" for name in sorted(strange)]
    return remarks


def imported(tree: ast.AST) -> set[str]:
    """The modules that a piece of code imports, or takes something from."""
    nodes = list(ast.walk(tree))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return names | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


def packages(tree: ast.AST) -> set[str]:
    """The top-level packages of these modules."""
    return {name.partition(".")[0] for name in imported(tree)}
