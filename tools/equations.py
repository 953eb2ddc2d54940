"""Which function computes each numbered equation of the sources, and which tests check it: `python -m tools.equations`.

The table is equations.json in this folder. A row names its code, as `path:function`; `departs` states how the code
differs from the printed equation, if it does. Tests carry the mark `@pytest.mark.equation(source, *numbers)`. Files are
parsed, never run.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from common import ROOT
from common.errors import OneLineParser, exits_cleanly

TABLE = Path(__file__).with_suffix(".json")
EQUATIONS_OF = {"neubig2017": 80, "salton2017": 10, "wu2018": 6, "vaswani2017": 3}

Key = tuple[str, int]
Tests = Mapping[Key, list[str]]


@dataclass(frozen=True)
class Equation:
    """A row of the table: where it is computed."""

    source: str
    number: int
    what: str
    code: tuple[str, ...]
    departs: str | None = None

    @property
    def key(self) -> Key:
        return self.source, self.number

    def __str__(self) -> str:
        return f"{self.source} Eq. {self.number} ({self.what})"


def read_table(path: Path = TABLE) -> list[Equation]:
    """The rows of the table, in its order."""
    table = json.loads(path.read_text(encoding="utf-8"))
    return [
        Equation(source, row["equation"], row["what"], tuple(row.get("code", ())), row.get("departs"))
        for source, rows in table.items()
        for row in rows
    ]


@lru_cache(maxsize=512)
def read_tree(text: str) -> ast.Module:
    """`ast.parse`. The tree is kept, as a file may hold the code of many equations, and must not be changed."""
    return ast.parse(text)


def find_tests(root: Path) -> dict[Key, list[str]]:
    """For each equation, the tests under `root`/tests that are marked with it, as pytest names them."""
    tests = defaultdict(list)
    for path in sorted((root / "tests").glob("**/test_*.py")):
        text = path.read_text(encoding="utf-8")
        for test, keys in marked_tests(read_tree(text)) if "mark.equation" in text else ():
            for key in keys:
                tests[key].append(f"{path.relative_to(root).as_posix()}::{test}")
    return dict(tests)


def marked_tests(tree: ast.AST) -> Iterator[tuple[str, list[Key]]]:
    """Every test function and the equations it is marked with. A test that is skipped or may fail proves nothing."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            marks = [ast.unparse(decorator) for decorator in node.decorator_list]
            if not any(mark.startswith(("pytest.mark.skip", "pytest.mark.xfail")) for mark in marks):
                yield node.name, [key for decorator in node.decorator_list for key in marked_equations(decorator)]


def marked_equations(decorator: ast.expr) -> list[Key]:
    """The equations that one decorator names; none where it is another mark."""
    if not isinstance(decorator, ast.Call) or ast.unparse(decorator.func) != "pytest.mark.equation":
        return []
    source, *numbers = (ast.literal_eval(argument) for argument in decorator.args)
    return [(source, number) for number in numbers]


def has_function(root: Path, place: str) -> bool:
    """Whether `place`, "path:function" or "path:Class.method", is there."""
    path, _, name = place.partition(":")
    if not (root / path).is_file():
        return False
    node: ast.AST = read_tree((root / path).read_text(encoding="utf-8"))
    for part in name.split("."):
        inside = [child for child in ast.iter_child_nodes(node) if getattr(child, "name", None) == part]
        if not inside:
            return False
        node = inside[0]
    return isinstance(node, ast.FunctionDef)


def find_faults(equations: list[Equation], tests: Tests, root: Path) -> list[str]:
    """What is missing, one per line."""
    faults = [fault for equation in equations for fault in faults_of(equation, tests, root)]
    keys = [equation.key for equation in equations]
    for source, last in EQUATIONS_OF.items():
        if [number for name, number in keys if name == source] != list(range(1, last + 1)):
            faults.append(f"the table must list {source} 1 to {last}, each once and in order")
    for key in sorted(tests.keys() - set(keys)):
        faults.append(f"{tests[key][0]} is marked with {key[0]} Eq. {key[1]}, which the table does not list")
    return faults


def is_sentence(text: object) -> bool:
    """Whether this is text of one sentence on one line."""
    return isinstance(text, str) and re.fullmatch(r"[A-Z<](?:(?!\. [A-Z]).)*\.", text) is not None


def faults_of(equation: Equation, tests: Tests, root: Path) -> Iterator[str]:
    if equation.departs is not None and not is_sentence(equation.departs):
        yield f"{equation}: what departs from the print must be text of one sentence"
    if not equation.code:
        yield f"{equation} names no code"
    for place in equation.code:
        if not has_function(root, place):
            yield f"{equation}: there is no function {place}"
    if equation.key not in tests:
        yield f"{equation} has no test"


def describe(equation: Equation, tests: list[str]) -> str:
    """The row as text: what departs from the print, then code, then tests, one per line."""
    lines = [f"{equation.source} {equation.number:>2}  {equation.what}"]
    lines += [f"    departs: {equation.departs}"] if equation.departs else []
    lines += [f"    code  {place}" for place in equation.code]
    lines += [f"    test  {test}" for test in tests]
    return "\n".join(lines)


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Print the table and what is missing; 1 if anything is."""
    parser = OneLineParser(prog="python -m tools.equations", description=__doc__)
    parser.parse_args(arguments)
    equations, tests = read_table(root / TABLE.relative_to(ROOT)), find_tests(root)
    for equation in equations:
        print(describe(equation, tests.get(equation.key, [])))
    faults = find_faults(equations, tests, root)
    written = sum(bool(equation.code) for equation in equations)
    departing = sum(equation.departs is not None for equation in equations)
    print(f"\n{written} of {len(equations)} equations have their code; {len(faults)} faults")
    print(f"{departing} equations depart from the print")
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    exits_cleanly(lambda: sys.exit(main()))()
