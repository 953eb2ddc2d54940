"""What a student's code may not do while it is graded: the fence inside Python, for every system.

Python notifies an audit hook of every file that is opened, every process that is begun, every connection made; a hook
cannot be taken away again. The one here refuses what no exercise needs. It says so in a line that a student
understands; it is a fence, not a sandbox. The walls are those of the system, where it has some: sandbox.py and
landlock.py.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

PROCESSES = ("os.fork", "os.forkpty", "os.exec", "os.spawn", "os.posix_spawn", "os.system", "os.startfile",
             "subprocess.Popen", "os.kill", "os.killpg", "pty.spawn", "signal.pthread_kill")  # fmt: skip
OUTSIDE = ("socket.", "ctypes.", "urllib.", "ftplib.", "smtplib.", "http.client.", "webbrowser.", "winreg.", "_winapi.",
           "sqlite3.", "mmap.")  # fmt: skip
SPYING = ("gc.get_objects", "gc.get_referrers", "gc.get_referents", "sys.addaudithook", "sys.settrace",
          "sys.setprofile", "sys._current_frames", "code.__new__", "cpython.PyInterpreterState_New")  # fmt: skip
CHANGES = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod",
           "os.chown", "os.utime", "os.setxattr", "shutil.rmtree", "shutil.move")  # fmt: skip
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
OF_THE_COURSE = ("common", "chapters", "data")
"""The folders of the course that may be read: a student's file may import from them."""
OF_THE_SYSTEM = ("/usr", "/lib", "/lib64", "/dev/null", "/dev/urandom")


class Refused(PermissionError):
    """What a student's code was not allowed to do."""


def readable_places(courses: list[Path]) -> list[Path]:
    """What a student's process may read: Python, its packages, and the course but for answers and others' work."""
    python = [sys.prefix, sys.base_prefix, *sysconfig.get_paths().values(), *(path for path in sys.path if path)]
    around = {place for course in courses for place in (course, *course.parents)}
    places = [Path(path) for path in python if Path(os.path.abspath(path)) not in around]
    places += [course / name for course in courses for name in OF_THE_COURSE]
    places += [Path(path) for path in OF_THE_SYSTEM]
    return [path for path in places if path.exists()]


def arm(hidden: list[Path], readable: list[Path]) -> None:
    """From now on, refuse new processes, connections, writing anywhere, and reading outside of the readable places.

    hidden: folders that may not be read even where they lie in a readable one.
    """
    for module in [name for name in sys.modules if name.partition(".")[0] == "solutions"]:
        del sys.modules[module]  # a student's import of it must be seen
    os._exit = refuse_exit
    sys.addaudithook(make_hook(spellings(hidden), spellings(readable)))


def refuse_exit(status: int) -> None:
    raise Refused("the process may not be ended (os._exit)")


def spellings(places: list[Path]) -> tuple[str, ...]:
    """The places as they are written and without links, in the spelling of `make_hook`."""
    paths = {spelt(spelling) for path in places for spelling in (os.path.abspath(path), os.path.realpath(path))}
    return tuple(sorted(paths))


def make_hook(hidden: tuple[str, ...], readable: tuple[str, ...]) -> Callable[[str, tuple], None]:
    """The hook. All that it needs are its own constants: whatever a student's code puts in the place of functions of
    `os`, of built-in ones, or of this file's, the hook does not use them. It defines no function for the same reason.
    """
    text, raw, whole, kind, here, refused = str, bytes, int, type, os.getcwd, Refused
    windows, nowhere, writing = os.name == "nt", spelt(os.devnull), WRITING
    processes, outside, spying, changes = frozenset(PROCESSES), OUTSIDE, frozenset(SPYING), frozenset(CHANGES)

    def hook(event: str, arguments: tuple) -> None:
        if event == "open":
            path, mode, flags = arguments
            if kind(path) is whole:
                return
            if kind(path) is raw:
                path = raw.decode(path, "utf-8", "surrogateescape")
            if kind(path) is not text:
                raise refused("a file is opened by its path here, which is a text")
            if windows:
                path = path.replace("\\", "/").lower()
            if not path.startswith("/") and path[1:2] != ":":
                path = here().replace("\\", "/") + "/" + path
            parts = [part for part in path.split("/") if part != "" and part != "."]
            path = "/" + "/".join(parts) + "/"
            name = parts[-1] if parts else "/"
            writes = kind(flags) is whole and flags & writing
            if kind(mode) is text:
                writes = writes or "w" in mode or "a" in mode or "x" in mode or "+" in mode
            if path.startswith(hidden):
                raise refused(f"the graders and answers may not be read ({name})")
            if writes and path != nowhere:
                raise refused(f"files may not be written here ({name})")
            if ".." in parts or not path.startswith(readable):
                raise refused(f"no file but those of Python and the course may be read here ({name})")
        elif event == "import":
            name = arguments[0]
            if kind(name) is not text or name.partition(".")[0] in ("solutions", "exercises"):
                raise refused(f"{name} may not be imported here; import a neighbour by its own name")
        elif event in processes:
            raise refused(f"no other process may be started or ended here ({event})")
        elif event.startswith(outside) or event in spying:
            raise refused(f"no exercise needs this ({event})")
        elif event in changes:
            raise refused(f"files may not be changed here ({event})")

    return hook


def spelt(path: str) -> str:
    """An absolute path with slashes around each part, in small letters where the system does not tell them apart."""
    if os.name == "nt":
        path = path.replace("\\", "/").lower()
    return "/" + "/".join(part for part in path.split("/") if part) + "/"
