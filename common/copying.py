"""Copies of the course, or of parts of it, that can be changed: also where the original is read-only."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Callable, Iterable
from pathlib import Path


def copy_tree(source: Path, target: Path, ignore: Callable[[str, list[str]], Iterable[str]] | None = None) -> Path:
    """Copy a folder, but for what `ignore` names, as `shutil.copytree` does; return the copy. Whoever copies may write
    to every file and folder of the copy."""
    shutil.copytree(source, target, ignore=ignore)
    for path in (target, *target.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | stat.S_IWUSR)
    return target
