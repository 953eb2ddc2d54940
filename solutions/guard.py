"""What a student's code may not do while it is graded, and what it must leave as it was.

Python tells an audit hook of every file that is opened, every process that is begun, every connection made; a hook
cannot be taken away again. The one here refuses what no exercise needs. It is a fence, not a sandbox: see README.md.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from types import FunctionType, ModuleType

PROCESSES = ("os.fork", "os.forkpty", "os.exec", "os.spawn", "os.posix_spawn", "os.system", "os.startfile",
             "subprocess.Popen", "os.kill", "os.killpg", "pty.spawn", "signal.pthread_kill")  # fmt: skip
OUTSIDE = ("socket.", "ctypes.", "urllib.", "ftplib.", "smtplib.", "http.client.", "webbrowser.", "winreg.", "_winapi.")
SPYING = ("gc.get_objects", "gc.get_referrers", "gc.get_referents", "sys.addaudithook", "sys.settrace",
          "sys.setprofile", "sys._current_frames", "code.__new__")  # fmt: skip
CHANGES = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod",
           "os.chown", "os.utime", "shutil.rmtree", "shutil.move")  # fmt: skip
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Refused(PermissionError):
    """What a student's code was not allowed to do."""


def arm(scratch: Path, answers: Path) -> None:
    """From now on, refuse new processes, connections, writing outside `scratch`, and any look at `answers`."""
    scratch_folder, hidden, nowhere = real(scratch), real(answers), real(os.devnull)

    def hook(event: str, arguments: tuple) -> None:
        if event == "open":
            path, mode, flags = arguments
            if isinstance(path, int):
                return
            where = real(path)
            if within(where, hidden):
                raise Refused(f"the graders and answers may not be read ({os.path.basename(where)})")
            writes = isinstance(mode, str) and any(letter in mode for letter in "wax+")
            writes = writes or (isinstance(flags, int) and bool(flags & WRITING))
            if writes and not within(where, scratch_folder) and where != nowhere:
                raise Refused(f"files may not be written here ({os.path.basename(where)})")
        elif event == "import" and str(arguments[0]).partition(".")[0] in ("solutions", "exercises"):
            raise Refused(f"{arguments[0]} may not be imported here; import a neighbour by its own name")
        elif event in PROCESSES:
            raise Refused(f"no other process may be started or ended here ({event})")
        elif event.startswith(OUTSIDE) or event in SPYING:
            raise Refused(f"no exercise needs this ({event})")
        elif event in CHANGES and not within(real(arguments[0]), scratch_folder):
            raise Refused(f"files may not be changed here ({event})")

    for module in [name for name in sys.modules if name.partition(".")[0] == "solutions"]:
        del sys.modules[module]  # a student's import of it must be seen
    os._exit = refuse_exit
    sys.addaudithook(hook)


def refuse_exit(status: int) -> None:
    raise Refused("the process may not be ended (os._exit)")


def real(path: object) -> str:
    """An absolute path without links, in one spelling."""
    try:
        return os.path.normcase(os.path.realpath(os.fsdecode(path)))
    except (TypeError, ValueError, OSError):
        return ""


def within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


Snapshot = dict[tuple[str, str], tuple[int, int]]


def snapshot(modules: Iterable[ModuleType]) -> Snapshot:
    """What the names of modules stand for, to find out later whether somebody has changed one."""
    return {
        (module.__name__, name): (id(value), id(getattr(value, "__code__", None)) if type(value) is FunctionType else 0)
        for module in modules
        for name, value in list(vars(module).items())
        if not name.startswith("__") or module.__name__ == "builtins"
    }


def changed(before: Snapshot, modules: Iterable[ModuleType]) -> list[str]:
    """The names that no longer stand for what they stood for. New names are allowed."""
    after = snapshot(modules)
    return [f"{module}.{name}" for (module, name), value in before.items() if after.get((module, name)) != value]
