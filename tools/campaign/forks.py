"""Processes that are watched: forked, limited in time and memory, and killed when the time has come.

A child is a fork of the campaign, which has loaded the large libraries already: so a case costs milliseconds, and
whatever it does to itself, it does to nobody else.
"""

from __future__ import annotations

import faulthandler
import gc
import io
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from common.errors import INTERRUPTED

MOST_SECONDS = 60.0
SECONDS_TO_TELL = 1.0
"""How long a child that has used up its time has to write where it is."""
MOST_MEMORY = 3072
"""Megabytes that a child may ask for beyond what the campaign has: then the system refuses."""
FAULT = 3
"""The exit status of a child that has found something itself; its last line of standard error says what."""


class Fault(Exception):
    """Something that no user should ever see. The message is one line: `kind: what`."""


@dataclass(frozen=True)
class Outcome:
    """How a child ended. status: its exit status, or minus the number of the signal that ended it."""

    status: int
    out: str
    err: str
    timed_out: bool


class Child:
    """A function that runs in a process of its own. Standard output and error go to files in `folder`.

    work: what to run; its SystemExit, if it raises one, is the exit status. stdin: what it finds on standard input.
    """

    def __init__(self, work: Callable[[], object], folder: Path, stdin: bytes = b"", seconds: float = MOST_SECONDS):
        self.folder, self.seconds = folder, seconds
        self.begun, self.ended, self.timed_out = time.monotonic(), None, False
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("stdout", "stderr"):  # there even if the child is killed at once
            (folder / name).write_bytes(b"")
        (folder / "stdin").write_bytes(stdin)
        sys.stdout.flush()
        sys.stderr.flush()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until the child can heed it
        self.pid = os.fork()
        if self.pid == 0:
            become(work, folder, seconds)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def poll(self) -> Outcome | None:
        """How the child ended; `None` while it runs. One that has used up its time is killed, and all that it began."""
        if self.ended is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.end(status)
            elif time.monotonic() - self.begun > self.seconds + SECONDS_TO_TELL:
                self.timed_out = True
                self.kill()
                self.end(os.waitpid(self.pid, 0)[1])
        return self.ended

    def kill(self) -> None:
        """End the child, and the processes that it began."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:  # it has not come so far as to lead a group, or its end was not waited for
            os.kill(self.pid, signal.SIGKILL)

    def end(self, status: int) -> None:
        out, err = ((self.folder / name).read_text("utf-8", "replace") for name in ("stdout", "stderr"))
        self.ended = Outcome(os.waitstatus_to_exitcode(status), out, err, self.timed_out)

    def wait(self) -> Outcome:
        """Wait for the end."""
        while self.poll() is None:
            time.sleep(0.002)
        return self.ended


def become(work: Callable[[], object], folder: Path, seconds: float) -> None:
    """What the child does: never returns. After so many seconds it writes where it is to standard error."""
    status = 1
    try:
        os.setsid()
        gc.freeze()  # what the campaign holds is nobody's garbage here, and stays shared
        for number, name, flags in ((0, "stdin", os.O_RDONLY), (1, "stdout", OUT), (2, "stderr", OUT)):
            os.dup2(os.open(folder / name, flags, 0o644), number)
        sys.stdin = io.TextIOWrapper(open(0, "rb", closefd=False), encoding="utf-8")
        sys.stdout = io.TextIOWrapper(open(1, "wb", closefd=False), encoding="utf-8")
        sys.stderr = io.TextIOWrapper(
            open(2, "wb", 0, closefd=False), encoding="utf-8", errors="backslashreplace", write_through=True
        )
        faulthandler.register(signal.SIGALRM, file=2)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        limit(resource.RLIMIT_CORE, 0)
        pages = int(Path("/proc/self/statm").read_text().split()[0])  # asked for by now
        limit(resource.RLIMIT_AS, pages * resource.getpagesize() + MOST_MEMORY * 2**20)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        status = status_of(work)
        sys.stdout.flush()
    finally:
        os._exit(status)


OUT = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def status_of(work: Callable[[], object]) -> int:
    """The exit status that Python would end with after this work, whose traceback it prints."""
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        work()
    except SystemExit as stopped:
        if isinstance(stopped.code, str):
            print(stopped.code, file=sys.stderr)
            return 1
        return stopped.code or 0
    except Fault as fault:
        print(fault, file=sys.stderr)
        return FAULT
    except KeyboardInterrupt:  # before the program has begun to heed it: that is the campaign's own code
        print("\ninterrupted", file=sys.stderr)
        return INTERRUPTED
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def limit(kind: int, most: int) -> None:
    """Lower a limit of this process."""
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
