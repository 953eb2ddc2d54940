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


def editor() -> list[str]:
    """The editor's command in words; none where the environment names no editor."""
    return shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "", posix=os.name == "posix")


def open_at(path: Path, line: int) -> None:
    """Open a file in the editor. Raises `UserError` where the editor cannot be started."""
    command = editor()
    form = LINE.get(Path(command[0]).stem, ("{path}",)) if line else ("{path}",)
    try:
        subprocess.run([*command, *(word.format(path=path, line=line) for word in form)], check=False)
    except OSError as error:
        raise UserError(f"{command[0]}: {error.strerror}; VISUAL or EDITOR names the editor") from None
