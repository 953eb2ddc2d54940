"""How a program ends early: in one line.

An error that a user can fix says what is wrong, where, and what to do. Ctrl-C raises KeyboardInterrupt inside a
program's `main`; before and after, while libraries are imported above all, the process ends at once: an error that is
raised inside an import would come out as a traceback of somebody else's code. SIGTERM, and SIGHUP where a terminal is
closed, are raised there too, so that temporary folders are removed; then the signal ends the process.
"""

from __future__ import annotations

import argparse
import difflib
import errno
import functools
import io
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

STATUS = 130
"""Of a program that was interrupted."""
ENDING = ("SIGTERM", "SIGHUP")


class UserError(Exception):
    """A problem in the input or the settings. Programs print it as one line and exit with status 2."""


class Terminated(KeyboardInterrupt):
    """A signal of `ENDING`. args: its number."""


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """The end of a message about an unknown name: the known name that is most like it, or "" where none is."""
    known = {str(one).lower(): str(one) for one in names}
    close = difflib.get_close_matches(name.lower(), known, 1)
    return f"; did you mean {known[close[0]]}?" if close else ""


def one_line(message: str) -> str:
    """The message without line breaks, which a quoted value may contain."""
    return "\\n".join(message.splitlines())


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, with the flag or the choice that may have been meant."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {one_line(message)}{self.suggestion(message)}; --help lists the flags\n")

    def suggestion(self, message: str) -> str:
        """The flag or choice that is most like the one that argparse's message refuses."""
        choice = re.search(r"invalid choice: '(.+)' \(choose from (.+)\)", message)
        if choice:
            return did_you_mean(choice.group(1), (one.strip("'") for one in choice.group(2).split(", ")))
        if message.startswith("unrecognized arguments: "):
            words = message.split()[2:]
            flags = [word.partition("=")[0] for word in words if word.startswith("--")]
            return next(filter(None, (did_you_mean(flag, self.flags()) for flag in flags)), "")
        return ""

    def flags(self) -> list[str]:
        """All flags of this parser and of its commands."""
        commands = [action for action in self._actions if isinstance(action, argparse._SubParsersAction)]
        parsers = [self, *(parser for action in commands for parser in action.choices.values())]
        return [flag for parser in parsers for flag in parser._option_string_actions]


def exits_cleanly(main: Callable[[], None]) -> Callable[[], None]:
    """Wrap a program's `main`: a `UserError` becomes one line and exit status 2, Ctrl-C status 130.

    A signal of `ENDING` ends the process as if nobody had listened to it, once `main` has tidied up.
    """

    @functools.wraps(main)
    def wrapped() -> None:
        print_utf8()
        try:
            with raised():
                main()
        except UserError as error:
            print("error: " + one_line(str(error)), file=sys.stderr)
            sys.exit(2)
        except BrokenPipeError:  # the reader of our output, `head` say, has had enough
            sys.stderr.close()
            sys.exit(0)
        except (Exception, KeyboardInterrupt) as error:
            if isinstance(error, OSError) and error.filename and error.errno in (errno.ENAMETOOLONG, errno.EACCES):
                print(f"error: {one_line(str(error.filename)):.80}: {error.strerror}", file=sys.stderr)
                sys.exit(2)
            interrupt = interrupt_behind(error)
            if interrupt is None:
                raise
            if isinstance(interrupt, Terminated):
                end_process(interrupt)
            print("\ninterrupted", file=sys.stderr)
            sys.exit(STATUS)

    return wrapped


def interrupt_behind(error: BaseException | None) -> KeyboardInterrupt | None:
    """The Ctrl-C that is behind an error: a library in C that is being imported may make an `ImportError` of it."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error


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
