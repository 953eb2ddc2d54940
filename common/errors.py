"""How a program ends early: in one line.

An error that a user can fix says what is wrong, where, and what to do. Ctrl-C raises KeyboardInterrupt inside a
program's `main`; before and after, while libraries are imported above all, the process ends at once: an error that is
raised inside an import would come out as a traceback of somebody else's code.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

STATUS = 130
"""Of a program that was interrupted."""
LARGEST_NUMBER = 2**63 - 1


class UserError(Exception):
    """A problem in the input or the settings. Programs print it as one line and exit with status 2."""


def one_line(message: str) -> str:
    """The message without line breaks, which a quoted value may contain."""
    return "\\n".join(message.splitlines())


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, and whose whole numbers have at most 64 bits."""

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.register("type", int, whole_number)

    def print_help(self, file: Any = None) -> None:
        """As argparse does, but an output that cannot be written to is an error."""
        print(self.format_help(), end="", file=file, flush=True)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {one_line(message)}; --help lists the flags\n")


def whole_number(text: str) -> int:
    """A whole number on the command line. Raises an error of argparse where there is none, or one of over 64 bits."""
    try:
        number = int(text)
    except ValueError:  # also a number of more digits than Python reads
        raise argparse.ArgumentTypeError(f"invalid int value: {text!r:.40}") from None
    if abs(number) > LARGEST_NUMBER:
        raise argparse.ArgumentTypeError(f"{text:.40} is too large a number")
    return number


def exits_cleanly(main: Callable[[], None]) -> Callable[[], None]:
    """Wrap a program's `main`: a `UserError` becomes one line and exit status 2, Ctrl-C status 130."""

    @functools.wraps(main)
    def wrapped() -> None:
        open_closed_streams()
        print_utf8()
        try:
            with raised():
                try:
                    main()
                finally:
                    sys.stdout.flush()
        except (Exception, KeyboardInterrupt) as error:
            if not importlib.import_module("common.endings").say(error):
                raise

    return wrapped


def open_closed_streams() -> None:
    """Standard streams that were closed (`2>&-`) get a place, as `endings` says."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        importlib.import_module("common.endings").open_closed_streams()


def print_utf8() -> None:
    """Print in UTF-8, as all text of the course is written, also where the system would not (a pipe on Windows).

    The name of a file may be no text (any bytes, on Linux): what cannot be printed is escaped.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def end_at_once() -> None:
    """From here on Ctrl-C ends the process, unless whoever started it wants it to be ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)


def heed_interrupts() -> None:
    """To be called in a new process: one that is started in the background ignores Ctrl-C, as its parent does."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def end(number: int, frame: FrameType | None) -> None:
    """What Ctrl-C does outside of `raised`: what was printed is kept, then the line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        sys.stdout.flush()
    except Exception:  # nobody reads any more, or it was being written to
        pass
    os.write(2, b"\ninterrupted\n")
    os._exit(STATUS)


@contextmanager
def raised() -> Iterator[None]:
    """Inside, Ctrl-C is a KeyboardInterrupt again, so that what is being written is tidied up.

    Nothing changes where `end_at_once` was not called, in tests for example.
    """
    ours = signal.getsignal(signal.SIGINT) is end
    if ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        if ours:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one would only spoil the line
        raise
    finally:
        if ours:
            end_at_once()
