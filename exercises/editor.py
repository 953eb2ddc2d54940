"""The student's own editor, where the environment names one: `VISUAL` or else `EDITOR`."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

from common.errors import UserError

LINE = {name: ("--goto", "{path}:{line}") for name in ("code", "codium", "cursor")}
LINE |= {name: ("+{line}", "{path}") for name in ("vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro", "kak")}
"""How to open a file at a line, by the name of an editor; any other one gets the file alone."""


def editor() -> str:
    """The editor's command; "" where the environment names no editor."""
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""


def open_at(path: Path, line: int) -> None:
    """Open a file in the editor. Raises `UserError` where the editor cannot be started."""
    try:
        command = shlex.split(editor(), posix=os.name == "posix")
        form = LINE.get(Path(command[0]).stem, ("{path}",)) if line else ("{path}",)
        subprocess.run([*command, *(word.format(path=path, line=line) for word in form)], check=False)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", error)
        raise UserError(f"{editor()}: {reason}; VISUAL or EDITOR must name your editor") from None
