"""What a student's code may not do while it is graded: the fence inside Python, for every system.

Python notifies an audit hook of every file that is opened, every process that is begun, every connection made; a hook
cannot be taken away again. The one here refuses what no exercise needs. It says so in a line that a student
understands; it is a fence, not a sandbox. The walls are those of the system, where it has some: sandbox.py.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

PROCESSES = ("os.fork", "os.forkpty", "os.exec", "os.spawn", "os.posix_spawn", "os.system", "os.startfile",
             "subprocess.Popen", "os.kill", "os.killpg", "pty.spawn", "signal.pthread_kill")  # fmt: skip
OUTSIDE = ("socket.", "ctypes.", "urllib.", "ftplib.", "smtplib.", "http.client.", "webbrowser.", "winreg.", "_winapi.",
           "sqlite3.", "mmap.")  # fmt: skip
SPYING = ("gc.get_objects", "gc.get_referrers", "gc.get_referents", "sys.addaudithook", "sys.settrace",
          "sys.setprofile", "sys._current_frames", "code.__new__")  # fmt: skip
CHANGES = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod",
           "os.chown", "os.utime", "os.setxattr", "shutil.rmtree", "shutil.move")  # fmt: skip
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Refused(PermissionError):
    """What a student's code was not allowed to do."""


def arm(hidden: list[Path]) -> None:
    """From now on, refuse new processes, connections, writing anywhere, and any access to the hidden folders."""
    folders, nowhere = [real(path) for path in hidden], real(os.devnull)

    def hook(event: str, arguments: tuple) -> None:
        if event == "open":
            path, mode, flags = arguments
            if isinstance(path, int):
                return
            where = real(path)
            if any(within(where, folder) for folder in folders):
                raise Refused(f"the graders and answers may not be read ({os.path.basename(where)})")
            writes = isinstance(mode, str) and any(letter in mode for letter in "wax+")
            writes = writes or (isinstance(flags, int) and bool(flags & WRITING))
            if writes and where != nowhere:
                raise Refused(f"files may not be written here ({os.path.basename(where)})")
        elif event == "import" and str(arguments[0]).partition(".")[0] in ("solutions", "exercises"):
            raise Refused(f"{arguments[0]} may not be imported here; import a neighbour by its own name")
        elif event in PROCESSES:
            raise Refused(f"no other process may be started or ended here ({event})")
        elif event.startswith(OUTSIDE) or event in SPYING:
            raise Refused(f"no exercise needs this ({event})")
        elif event in CHANGES:
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
