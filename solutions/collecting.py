"""The submissions that the command line of `python -m solutions grade` names, and what each student is called."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from common.errors import UserError
from solutions.grading.members import KINDS, is_kind
from solutions.grading.reading import printable

LITTER = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"}
"""What systems leave in a folder of submissions: nobody's work."""


def find_submissions(patterns: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Names and paths of submissions, no two names alike: also of what cannot be graded, so that nobody is forgotten.

    Raises `UserError` where none of the paths is there.
    """
    paths = [path for path in expanded(patterns) if path.name not in LITTER]
    if not any(os.path.lexists(path) for path in paths):
        raise UserError(f"{patterns[0]}: there is nothing to grade; give the folder or the zip file of each submission")
    names = [printable(name_of(path)) for path in paths]
    names_used: set[str] = set()
    for path, name in zip(paths, names, strict=True):
        unique = name if names.count(name) == 1 else printable(path.as_posix())
        while unique in names_used:
            unique += "~"
        names_used.add(unique)
        yield unique, path


def name_of(path: Path) -> str:
    """What a student is called: as the folder, or as the file without what tells its kind."""
    path = path.absolute()
    return path.stem if is_kind(path.name, ".zip", *KINDS) and not path.is_dir() else path.name or str(path)


def expanded(patterns: Sequence[str]) -> list[Path]:
    """What was given, with the patterns that the shell left alone (on Windows) expanded."""
    return [Path(path) for pattern in patterns for path in matches(pattern)]


def matches(pattern: str) -> list[str]:
    """The paths that a pattern stands for: itself, where there is something under this very name."""
    return [pattern] if os.path.lexists(pattern) else sorted(glob.glob(pattern)) or [pattern]
