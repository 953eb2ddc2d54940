"""`python -m PACKAGE.MODULE`, where the module is no program: Python would run it and print nothing, with status 0."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from pathlib import Path

from common import ROOT
from common.errors import UserError, exits_cleanly

PROGRAM = '\nif __name__ == "__main__":'
"""What a program contains, and no other module."""


def require_program() -> None:
    """To be called by a package that is imported: return, unless `python -m` has named a module that is no program.
    With --help what the module is for is printed; otherwise one line refuses to run it. Then the process ends."""
    name = named_module(getattr(sys, "orig_argv", ())) if sys.argv[:1] == ["-m"] else ""
    path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
    if not name or not path.is_file() or PROGRAM in path.read_text(encoding="utf-8"):
        return
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(description(name, path))
        sys.exit()
    exits_cleanly(lambda: refuse(name))()


def named_module(command: Sequence[str]) -> str:
    """What a command line of Python names after `-m`, or ""."""
    for place, word in enumerate(command):
        if word.startswith("-m"):
            return word[2:] or "".join(command[place + 1 : place + 2])
    return ""


def description(name: str, path: Path) -> str:
    """What a module is for, in its own words, and which programs its package has."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    listed = "\n".join(f"  python -m {program} --help" for program in programs(name.partition(".")[0]))
    return f"{docstring}\n\n{name} is imported by programs and is not one itself. The programs:\n{listed}"


def refuse(name: str) -> None:
    raise UserError(f"{name} is not a program; python -m {name} --help lists the programs")


def programs(package: str) -> list[str]:
    """The programs in a package of the course, as `python -m` names them."""
    names = []
    for path in sorted(ROOT.glob(f"{package}/**/*.py")):
        if PROGRAM in path.read_text(encoding="utf-8", errors="replace"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            names.append(".".join(parts[:-1] if parts[-1] == "__main__" else parts))
    return names
