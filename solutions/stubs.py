"""From an answer to the blank that a student fills in, and to its mutants.

An answer is between marks:

    # BEGIN SOLUTION 1.2      at the place of an answer to task 1.2: the blank raises NotImplementedError there
    # BEGIN SOLUTION          without a number: imports and helpers that only the answer needs; the blank lacks them
    # END SOLUTION
"""

from __future__ import annotations

import ast
import io
import json
import re
import threading
from collections.abc import Iterable, Mapping
from functools import lru_cache

from common.errors import UserError

BEGIN = re.compile(r"^(\s*)# BEGIN SOLUTION(?: (\d+\.\d+))?\s*$")
END = re.compile(r"^\s*# END SOLUTION\s*$")
BLANK = re.compile(r"^Exercise (\d+\.\d+)\b")

Function = ast.FunctionDef | ast.AsyncFunctionDef

ONE_TREE = threading.Lock()


@lru_cache(maxsize=256)
def read_tree(text: str, path: str = "<unknown>") -> ast.Module:
    """`ast.parse`, for one thread at a time. The tree is kept for who asks next, and must not be changed.

    A class is graded in several, and Python counts the depth of all trees that are being made together: two at once may
    end in a `SystemError`.
    """
    with ONE_TREE:
        return ast.parse(text, path)


def lines_of(text: str) -> list[str]:
    """The lines as Python counts them: `splitlines` would break at a form feed or U+2028, too."""
    return list(io.StringIO(text, newline=""))


def make_stub(source: str, titles: Mapping[str, str], place: str) -> str:
    """The blank of an answer: everything but what is between the marks. A blank is its own blank.

    titles: of each task by its number. place: the name of the file in a `UserError`, raised where marks do not fit.
    """
    lines, inside = [], 0
    for number, line in enumerate((line.rstrip("\r\n") for line in lines_of(source)), start=1):
        begin, end = BEGIN.match(line), END.match(line)
        if bool(begin and inside) or bool(end and not inside):
            raise UserError(f"{place}, line {number}: BEGIN SOLUTION and END SOLUTION must alternate")
        if begin:
            inside = number
            lines += todo(begin[1], begin[2], titles, f"{place}, line {number}")
        elif end:
            inside = 0
        elif not inside:
            lines.append(line)
    if inside:
        raise UserError(f"{place}, line {inside}: BEGIN SOLUTION without END SOLUTION")
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).strip("\n") + "\n"


def todo(indent: str, task: str | None, titles: Mapping[str, str], place: str) -> list[str]:
    """The lines in place of an answer."""
    if task is None:
        return []
    if task not in titles:
        raise UserError(f"{place}: there is no task {task} in hints.toml")
    return [
        f"{indent}# TODO {task}: {titles[task]}",
        f"{indent}raise NotImplementedError({json.dumps(f'Exercise {task}: {titles[task]}', ensure_ascii=False)})",
    ]


def is_answer(source: str) -> bool:
    """Whether a file holds answers, or only blanks: an edition for students has blanks in the answers' places."""
    return any(BEGIN.match(line) for line in lines_of(source))


def functions(tree: ast.AST, above: str = "") -> dict[str, Function]:
    """All functions of a module by their qualified names, methods as `Class.method`."""
    functions_by_name: dict[str, Function] = {}
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            functions_by_name[above + node.name] = node
        if isinstance(node, (Function, ast.ClassDef)):
            functions_by_name |= functions(node, f"{above}{node.name}.")
    return functions_by_name


def lines_of_names(tree: ast.Module) -> dict[str, int]:
    """The line of each function of a module (`functions`), and of all else that has a name there: what is assigned,
    imported, or a class.
    """
    lines: dict[str, int] = {}
    for statement in tree.body:
        for node in [statement] if isinstance(statement, (Function, ast.ClassDef)) else ast.walk(statement):
            match node:
                case ast.Name(id=name, ctx=ast.Store()) | ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                    lines[name] = node.lineno
                case ast.alias(name=name, asname=other):
                    lines[other or name] = node.lineno
    return lines | {name: function.lineno for name, function in functions(tree).items()}


def tasks_of(stub: str) -> dict[str, list[str]]:
    """The numbers of the tasks of a blank, and the functions of each."""
    tasks: dict[str, list[str]] = {}
    for name, function in functions(read_tree(stub)).items():
        task = blank_task(function)
        if task:
            tasks.setdefault(task, []).append(name)
    return tasks


def blank_task(function: Function) -> str:
    """The task that a function still waits for: the number in the `NotImplementedError` that it ends in, or ""."""
    match function.body[-1]:
        case ast.Raise(exc=ast.Call(func=ast.Name("NotImplementedError"), args=[ast.Constant(str(text))])):
            match = BLANK.match(text)
            return match[1] if match else ""
    return ""


def reachable(defined: Mapping[str, ast.AST], names: Iterable[str]) -> set[str]:
    """The functions of a file that are named by these, or by what they name."""
    reached: set[str] = set()
    waiting = [name for name in names if name in defined]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += [other for other in free_names(defined[name]) if other in defined]
    return reached


def free_names(function: ast.AST) -> set[str]:
    """The names that a function takes from its module: those that are neither its arguments nor its variables."""
    nodes = list(ast.walk(function))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    own = {node.arg for node in nodes if isinstance(node, ast.arg)}
    own |= {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return {node.id for node in names} - own


def is_bare(function: Function) -> bool:
    """Whether nothing but a docstring comes before the `NotImplementedError` of a blank."""
    return bool(blank_task(function)) and len(statements(function)) == 1


def statements(function: Function) -> list[ast.stmt]:
    """Those of a function but for its docstring, which differs from edition to edition."""
    return function.body[is_text(function.body[0]) :]


def is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def mutate(source: str, right: str, wrong: str, place: str) -> str:
    """The answer with one text replaced. Raises `UserError` where the text is not there exactly once."""
    times = source.count(right)
    if times != 1:
        raise UserError(f"{place}: the mutant's text {right!r} occurs {times} times, not once")
    return source.replace(right, wrong)
