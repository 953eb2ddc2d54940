"""How a program ends early: in one line.

An error that a user can fix says what is wrong, where, and what to do. Ctrl-C raises KeyboardInterrupt inside a
program's `main`; before and after, while libraries are imported above all, the process ends at once: an error that is
raised inside an import would come out as a traceback of somebody else's code. SIGTERM, and SIGHUP where a terminal is
closed, are raised there too, so that temporary folders are removed; then the signal ends the process.
"""

from __future__ import annotations

import argparse
import functools
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

STATUS = 130
"""Of a program that was interrupted."""
ENDING = ("SIGTERM", "SIGHUP")
"""Signals that a program tidies up after."""
LARGEST_NUMBER = 2**63 - 1
"""On the command line."""


class UserError(Exception):
    """A problem in the input or the settings. Programs print it as one line and exit with status 2."""


class Terminated(KeyboardInterrupt):
    """A signal of `ENDING`. args: its number."""


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, with what may have been meant, and whose whole numbers have at most
    64 bits."""

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
    if abs(number) > LARGEST_NUMBER:
        raise argparse.ArgumentTypeError(f"{text:.40} is too large a number")
    return number


def exits_cleanly(main: Callable[[], None]) -> Callable[[], None]:
    """Wrap a program's `main`: a `UserError` becomes one line and exit status 2, Ctrl-C status 130.

    A signal of `ENDING` ends the process as if nobody had listened to it, once `main` has tidied up.
    """

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
            from common.endings import interrupt_behind, say

            interrupt = interrupt_behind(error)
            if isinstance(interrupt, Terminated):
                end_process(interrupt)
            if not say(error, isinstance(error, UserError)):
                raise

    return wrapped


def open_closed_streams() -> None:
    """Standard streams that were closed (`2>&-`) get a place, as `endings` says."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        from common import endings

        endings.open_closed_streams()


def end_process(interrupt: KeyboardInterrupt) -> NoReturn:
    """End this process at once, whatever its threads wait for: by the signal that it was sent, or with status 130."""
    with suppress(Exception):
        sys.stdout.flush()
    if isinstance(interrupt, Terminated):
        signal.signal(interrupt.args[0], signal.SIG_DFL)
        os.kill(os.getpid(), interrupt.args[0])
    os._exit(STATUS)


def ending_signals(handler: object) -> list[int]:
    """Those of `ENDING` that this handler is set for now."""
    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    return [number for number in numbers if signal.getsignal(number) is handler]


def terminate(number: int, frame: FrameType | None) -> NoReturn:
    """What a signal of `ENDING` does inside of `raised`. A second one ends the process at once."""
    signal.signal(number, signal.SIG_DFL)
    raise Terminated(number)


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
    for number in ending_signals(terminate):
        signal.signal(number, signal.SIG_DFL)


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
    """Inside, Ctrl-C is a KeyboardInterrupt again, and a signal of `ENDING` one too, so that what is being written is
    tidied up.

    Nothing changes where `end_at_once` was not called, in tests for example.
    """
    ours = signal.getsignal(signal.SIGINT) is end
    ending = ending_signals(signal.SIG_DFL) if ours else []
    if ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in ending:
        signal.signal(number, terminate)
    try:
        yield
    except KeyboardInterrupt:
        if ours:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one would only spoil the line
        raise
    finally:
        if ours:
            end_at_once()
        for number in ending:
            signal.signal(number, signal.SIG_DFL)
