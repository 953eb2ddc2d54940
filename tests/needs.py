"""What a test needs of the machine, as its source shows: `@pytest.mark.needs("time", "proc")`.

time: it waits, or has a limit in seconds. cores: it counts the processor's. proc: Linux's /proc. user: it asks who runs
it. loopback: it opens connections within this machine. No test needs a network beyond that.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SIGNS = {
    "time": r"\bsleep\(|monotonic\(\)|timeout=|\b(limit|total)=(\d{1,3}\b|LIMIT)|--limit",
    "cores": r"cpu_count\(|sched_getaffinity\(",
    "proc": r"/proc/|\bstate_of\(",
    "user": r"\bgete?uid\(",
    "loopback": r"create_server\(|HTTPServer\(|\bsocket\.socket\(|urlopen\(|Processes\(|open_page\(",
}
Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.Assign


def definitions_of(tree: ast.Module) -> dict[str, Definition]:
    """All functions of a file by name, those of its classes as well, and what it assigns to a name."""
    assigned = {node.targets[0].id: node for node in tree.body if isinstance(node, ast.Assign) and is_name(node)}
    return assigned | {node.name: node for node in ast.walk(tree) if isinstance(node, Function)}


def is_name(node: ast.Assign) -> bool:
    return isinstance(node.targets[0], ast.Name)


def names_in(node: Definition) -> set[str]:
    """What a definition reads by name, and the fixtures that it takes."""
    arguments = {argument.arg for argument in node.args.args} if isinstance(node, Function) else set()
    return arguments | {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def reachable(name: str, definitions: dict[str, Definition]) -> set[str]:
    """A definition and those of the same file that it uses."""
    seen, waiting = set(), [name]
    while waiting:
        current = waiting.pop()
        seen.add(current)
        waiting += [other for other in names_in(definitions[current]) & definitions.keys() if other not in seen]
    return seen


def needs_of(name: str, definitions: dict[str, Definition]) -> set[str]:
    """What a test needs, by the text of all that it reaches, decorators included."""
    text = "\n".join(ast.unparse(definitions[each]) for each in reachable(name, definitions))
    return {need for need, sign in SIGNS.items() if re.search(sign, text)}


def marked(node: Function) -> set[str]:
    """What its decorators say it needs."""
    calls = [each for each in node.decorator_list if isinstance(each, ast.Call)]
    marks = [each for each in calls if ast.unparse(each.func) == "pytest.mark.needs"]
    return {argument.value for mark in marks for argument in mark.args if isinstance(argument, ast.Constant)}


def read_needs(path: Path) -> Iterator[tuple[str, set[str], set[str]]]:
    """Of every test in a file: its name, what it needs, and what its mark says."""
    definitions = definitions_of(ast.parse(path.read_text("utf-8")))
    for name, node in definitions.items():
        if name.startswith("test_") and isinstance(node, Function):
            yield name, needs_of(name, definitions), marked(node)
