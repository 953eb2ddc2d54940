"""A program in a terminal of its own, as a student has it: a pseudo-terminal that tests type into and read."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import termios
import time
from fcntl import ioctl
from pathlib import Path

from common.endings import restore_sigint
from tests.programs import ROOT

PATIENCE = 120
"""Seconds until what is waited for is there, on a busy machine."""
CODES = re.compile(r"\x1b\[[\d;]*[A-Za-z]")


class Terminal:
    """A Python program in a terminal, ended with the `with`. raw: all that it prints; seen: how much was waited for."""

    def __init__(self, *arguments: str | Path, **environment: str):
        self.raw, self.seen = "", 0
        self.master, self.slave = os.openpty()
        self.ends = [self.master, self.slave]
        self.modes = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            **dict.fromkeys(("stdin", "stdout", "stderr"), self.slave),
            cwd=ROOT,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "120", **environment},
            start_new_session=True,
            preexec_fn=self._own,
        )

    def _own(self) -> None:
        """In the new process: the terminal is its own, so that Ctrl-C typed there is a signal."""
        ioctl(0, termios.TIOCSCTTY, 0)
        restore_sigint()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *exception: object) -> None:
        self.process.kill()
        self.process.wait()
        self.hang_up()

    def hang_up(self) -> None:
        """Close the terminal, as one closes its window."""
        while self.ends:
            os.close(self.ends.pop())

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def wait_for(self, text: str) -> str:
        """What is printed up to this text, from where the last such wait has ended, without colours."""
        end, start = time.monotonic() + PATIENCE, self.seen
        while (place := self.shown().find(text, start)) < 0:
            ready, _, _ = select.select([self.master], [], [], max(end - time.monotonic(), 0))
            assert ready, f"no {text!r} in {self.shown()[start:]!r}"
            self.raw += os.read(self.master, 65536).decode()
        self.seen = place + len(text)
        return self.shown()[start : self.seen]

    def shown(self) -> str:
        return CODES.sub("", self.raw).replace("\r", "")

    def wait(self) -> int:
        """The status of the program, once it has ended by itself."""
        return self.process.wait(PATIENCE)

    def is_as_before(self) -> bool:
        """Whether the terminal shows what is typed, in lines, as when the program began."""
        return termios.tcgetattr(self.slave) == self.modes
