"""Errors that a user can mend: one line that says what is wrong, where, and what to do."""

from __future__ import annotations

import argparse
import functools
import io
import sys
from collections.abc import Callable
from typing import NoReturn

from common import interrupts


class UserError(Exception):
    """A problem in the input or the settings. Programs print it as one line and exit with status 2."""


def one_line(message: str) -> str:
    """The message without line breaks, which a value that it quotes may hold."""
    return "\\n".join(message.splitlines())


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {one_line(message)}; --help lists the flags\n")


def exits_cleanly(main: Callable[[], None]) -> Callable[[], None]:
    """Wrap a program's `main`: a `UserError` becomes one line and exit status 2, Ctrl-C status 130."""

    @functools.wraps(main)
    def wrapped() -> None:
        print_utf8()
        try:
            with interrupts.raised():
                main()
        except UserError as error:
            print("error: " + one_line(str(error)), file=sys.stderr)
            sys.exit(2)
        except KeyboardInterrupt:
            print("\ninterrupted", file=sys.stderr)
            sys.exit(interrupts.STATUS)
        except BrokenPipeError:  # the reader of our output, `head` say, has had enough
            sys.stderr.close()
            sys.exit(0)

    return wrapped


def print_utf8() -> None:
    """Print in UTF-8, as all text of the course is written, also where the system would not (a pipe on Windows)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=stream.errors)
