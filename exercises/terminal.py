"""The terminal of `python -m exercises`: colours, and keys that need no Enter."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

if os.name == "nt":
    import msvcrt
else:
    import termios
    import tty

BOLD, RED, GREEN, YELLOW = 1, 31, 32, 33
QUIT = "q"
ENDS = "\x03\x04\x1a"
"""Ctrl-C, Ctrl-D and Ctrl-Z, where the terminal hands them on as keys."""


def is_attached() -> bool:
    """Whether somebody reads what is printed and can press keys: no pipe, no file."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def has_codes() -> bool:
    """Whether the output is a terminal that understands ANSI's codes, and nobody has switched colours off."""
    understood = os.environ.get("TERM", "dumb") != "dumb" if os.name == "posix" else "WT_SESSION" in os.environ
    return understood and sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def paint(text: str, colour: int | None) -> str:
    """The text in a colour, or as it is: without a colour, and where there are none."""
    return f"\x1b[{colour}m{text}\x1b[0m" if colour and text and has_codes() else text


def begin_screen() -> None:
    """Begin an empty screen; where that cannot be done, a line with the time."""
    print("\x1b[H\x1b[2J" if has_codes() else f"--- {time.strftime('%H:%M:%S')}\n", end="")


class Keys:
    """Keys as they are pressed, while a `with` lasts; none where no terminal is attached."""

    def __enter__(self) -> Keys:
        self.attached, self.waiting = is_attached(), ""
        self.modes = self.attached and os.name == "posix"
        if self.modes:
            self.before = termios.tcgetattr(sys.stdin)
            self.resume = signal.signal(signal.SIGCONT, lambda *_: self._listen())  # after Ctrl-Z and `fg`
        self._listen()
        return self

    def __exit__(self, *exception: object) -> None:
        self._restore()
        if self.modes:
            signal.signal(signal.SIGCONT, self.resume)

    def _listen(self) -> None:
        if self.modes:
            with suppress(termios.error):  # the terminal may be gone
                tty.setcbreak(sys.stdin, termios.TCSADRAIN)

    def _restore(self) -> None:
        if self.modes:
            with suppress(termios.error):
                termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self.before)

    def show_busy(self, text: str) -> None:
        """Show what is being done, until a longer line takes its place; only where somebody waits for it."""
        if self.attached:
            print(text, end="\r", flush=True)

    @contextmanager
    def lent(self) -> Iterator[None]:
        """While the body runs, another program has the terminal as it was, and Ctrl-C ends that program only."""
        self._restore()
        handler = signal.signal(signal.SIGINT, lambda *_: None)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, handler)
            self._listen()

    def read(self, seconds: float) -> str:
        """The next key, or "" where none is pressed for so long. At the end of the input it is `QUIT`."""
        if not self.attached:
            time.sleep(seconds)
            return ""
        if not self.waiting:
            self.waiting = self._pressed(seconds)
        key, self.waiting = self.waiting[:1], self.waiting[1:]
        return QUIT if key and key in ENDS else key

    def _pressed(self, seconds: float) -> str:
        if os.name == "nt":
            end = time.monotonic() + seconds
            while not msvcrt.kbhit():
                if time.monotonic() > end:
                    return ""
                time.sleep(0.02)
            key = msvcrt.getwch()
            return "" if key in "\x00\xe0" and msvcrt.getwch() else key  # an arrow is two
        if not select.select([sys.stdin], [], [], seconds)[0]:
            return ""
        try:
            data = os.read(sys.stdin.fileno(), 100) or QUIT.encode()
        except OSError:  # the terminal is gone
            return QUIT
        return "" if data.startswith(b"\x1b") else data.decode("utf-8", "ignore")  # an arrow is several bytes
