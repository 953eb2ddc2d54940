"""How a program ends early: in one line (`endings` says which); and the limit of memory that the system has set.

An error that a user can fix says what is wrong, where, and what to do. Ctrl-C raises KeyboardInterrupt inside a
program's `main`; before and after, while libraries are imported above all, the process ends at once, so that no
traceback of somebody else's code comes out. SIGTERM, and SIGHUP where a terminal is closed, are raised in `main` too,
so that temporary folders are removed; then the signal ends the process.
"""

from __future__ import annotations

import argparse
import functools
import io
import math
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn

INTERRUPTED = 130
"""Of a program that was interrupted."""
ENDING = ("SIGTERM", "SIGHUP")
"""Signals that a program tidies up after."""
TIDYING = 3.0
"""Seconds after a signal in which others are ignored, so that a second Ctrl-C does not interrupt the tidying up."""
obeyed_at = -TIDYING  # when the last signal came that was obeyed


class UserError(Exception):
    """A problem in the input or the settings. Programs print it as one line and exit with status 2."""


class Terminated(KeyboardInterrupt):
    """A signal of `ENDING`. args: its number."""


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, with what may have been meant; whole numbers have 64 bits."""

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.register("type", int, whole_number)

    def print_help(self, file: Any = None) -> None:
        """As argparse does, but an output that cannot be written to is an error."""
        print(self.format_help(), end="", file=file, flush=True)

    def error(self, message: str) -> NoReturn:
        from common.endings import one_line, suggestion

        self.exit(2, f"error: {one_line(message)}{suggestion(self, message)}; --help lists the flags\n")


def whole_number(text: str) -> int:
    """A whole number on the command line. Raises an error of argparse where there is none, or one of over 64 bits."""
    try:
        number = int(text)
    except ValueError:  # also a number of more digits than Python reads
        raise argparse.ArgumentTypeError(f"invalid int value: {text!r:.40}") from None
    if abs(number) >= 2**63:
        raise argparse.ArgumentTypeError(f"{text:.40} is too large a number")
    return number


def exits_cleanly(main: Callable[[], None]) -> Callable[[], None]:
    """Wrap a program's `main`: a `UserError` becomes one line and exit status 2, Ctrl-C status 130. A signal of
    `ENDING` ends the process as if nobody had listened to it, once `main` has tidied up."""

    @functools.wraps(main)
    def wrapped() -> None:
        prepare_streams()
        ours = signal.getsignal(signal.SIGINT) is end  # not where `exit_on_sigint` was not called, in tests for example
        if ours:
            replace_handlers(inside=True)
        try:
            try:
                main()
            finally:
                sys.stdout.flush()
                if ours:
                    exit_on_sigint()
        except (Exception, KeyboardInterrupt) as error:
            if ours and isinstance(error, KeyboardInterrupt):
                signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one would only spoil the line
            from common.endings import say

            if not say(error, isinstance(error, UserError)):
                raise

    return wrapped


def prepare_streams() -> None:
    """Print in UTF-8, also where the system would not (a pipe on Windows). What cannot be printed is escaped: the name
    of a file may be any bytes, on Linux. Standard streams that were closed (`2>&-`) get a place, as `endings` says."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        from common.endings import open_closed_streams

        open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def exit_on_sigint() -> None:
    """From here on Ctrl-C ends the process, unless whoever started it wants it to be ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)
    replace_handlers(inside=False)


def replace_handlers(inside: bool) -> None:
    """Let signals be raised as errors, inside of `main`, so that what is being written is tidied up, or end the
    process, outside. Those that whoever started it wants to be ignored, or handles, stay so."""
    for number in (getattr(signal, name) for name in ("SIGINT", *ENDING) if hasattr(signal, name)):
        outside: Any = end if number == signal.SIGINT else signal.SIG_DFL
        old, new = (outside, interrupt) if inside else (interrupt, outside)
        if signal.getsignal(number) is old:
            signal.signal(number, new)


def interrupt(number: int, frame: FrameType | None) -> None:
    """What a signal does inside of `interruptible`: nothing while the program tidies up after another one."""
    global obeyed_at
    now = time.monotonic()
    if now - obeyed_at >= TIDYING:
        obeyed_at = now
        raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)


def end(number: int, frame: FrameType | None) -> None:
    """What Ctrl-C does outside of `interruptible`: what was printed is kept, then the line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(Exception):  # nobody reads any more, or it was being written to
        sys.stdout.flush()
    os.write(2, b"\ninterrupted\n")
    os._exit(INTERRUPTED)


def process_limit() -> float:
    """How many bytes of memory the system lets this process have (ulimit -v); infinite without a limit."""
    if sys.platform == "win32":
        return math.inf
    import resource  # Windows has none

    size, _ = resource.getrlimit(resource.RLIMIT_AS)
    return math.inf if size == resource.RLIM_INFINITY else size
