"""Temporary folders of a grading: none is left, whatever ends it.

A folder is noted before it exists, so a signal at any moment leaves nothing. SIGKILL leaves what there is; the next
grading removes it when it is older than a day and not locked, as the lock ends with its process. Windows cannot lock a
folder, so nothing is removed there.
"""

from __future__ import annotations

import atexit
import os
import re
import secrets
import shutil
import tempfile
import time
from pathlib import Path

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None

OLD = 24 * 3600.0
"""Seconds after which a folder that nobody locks is removed."""
OURS = re.compile(r"(course|grading)-[0-9a-f]{16}")
folders: dict[Path, int | None] = {}
"""Those of this process, each with the descriptor that holds its lock."""


def name_folder(kind: str) -> Path:
    """The path of a new temporary folder, which `remove_folder` removes. kind: "course" or "grading"."""
    remove_stale()
    folder = Path(tempfile.gettempdir()).resolve() / f"{kind}-{secrets.token_hex(8)}"
    folders[folder] = None
    return folder


def make_folder(folder: Path) -> None:
    """Make a folder that was named, and lock it until this process ends or removes it."""
    folder.mkdir(0o700)
    folders[folder] = lock(folder)


def remove_folder(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    descriptor = folders.pop(folder, None)
    if descriptor is not None:
        os.close(descriptor)


@atexit.register
def remove_folders() -> None:
    """All that are left of this process."""
    for folder in list(folders):
        remove_folder(folder)


def remove_stale() -> None:
    """Remove what gradings left that were killed."""
    for folder in Path(tempfile.gettempdir()).iterdir() if fcntl else ():
        try:
            old = OURS.fullmatch(folder.name) and time.time() - folder.lstat().st_mtime > OLD
            descriptor = lock(folder) if old and not folder.is_symlink() else None
        except OSError:  # it has just been removed, or is somebody else's
            continue
        if descriptor is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(descriptor)


def lock(folder: Path) -> int | None:
    """The descriptor that locks a folder; None where another process has the lock, or where there are no locks."""
    if not fcntl:
        return None
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
