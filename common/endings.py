"""What is loaded only where a program ends early, began with a closed stream, or starts others: what to say, and the
exit status.

A program whose output nobody reads any more (`| head`) ends without a word, with the status of one that SIGPIPE has
ended. A training that stops so says how to go on (`training.runs.Log`).
"""

from __future__ import annotations

import argparse
import atexit
import difflib
import errno
import json
import os
import re
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

INTERRUPTED = 130
"""The exit status after Ctrl-C, as in `common.errors`, which loads this file where a program ends badly."""
NO_READER = 141
"""The exit status of a program whose output nobody reads any more: 128 and the number of SIGPIPE, as shells give it."""
CLOSED = {"stdin": os.O_WRONLY, "stdout": os.O_RDONLY, "stderr": os.O_WRONLY}
"""How to open the null device in place of a closed stream: reading from it fails, and so does writing to stdout."""
UNWRITABLE = {errno.EBADF, errno.EFBIG, errno.EINVAL, errno.EIO, errno.ENOSPC}
"""How the system says that it does not take what is printed."""


def say(error: BaseException, of_user: bool) -> bool:
    """End the program with the line and the status of an error, or by the signal that it was sent; False where it is a
    fault of the program itself. of_user: whether it is a `UserError`."""
    interrupt = interrupt_behind(error)
    if interrupt and interrupt.args:
        atexit._run_exitfuncs()  # the signal may have come in the middle of tidying up
        end_process(interrupt)
    discard(sys.stdout)
    status, line = (2, f"error: {one_line(str(error))}") if of_user else explain(error)
    if status is None:
        return False
    try:
        print(line, end="\n" if line else "", file=sys.stderr, flush=True)
    except OSError:  # a full disk, say: the status says the same
        discard(sys.stderr)
    sys.exit(status)


def explain(error: BaseException) -> tuple[int | None, str]:
    """The exit status and the line for an error that ends a program; None where it is a fault of the program itself."""
    if interrupt_behind(error):
        return INTERRUPTED, "\ninterrupted"
    if isinstance(error, OSError):
        if isinstance(error, BrokenPipeError):
            return NO_READER, ""
        if error.filename is None and error.errno in UNWRITABLE:  # of a file of ours, `files` would have told
            return 2, f"error: cannot write to standard output: {error.strerror}; redirect it elsewhere"
        if error.filename and error.errno in (errno.ENAMETOOLONG, errno.EACCES):
            return 2, f"error: {one_line(str(error.filename)):.80}: {error.strerror}"
    if isinstance(error, MemoryError) or str(error).endswith("memory allocation failed"):  # the latter is DyNet's
        return 2, "error: the system gives no more memory; lower --memory or --batch-size, or raise a limit (ulimit -v)"
    return None, ""


def discard(stream: Any) -> None:
    """What was printed and cannot be written is lost, so that Python does not try again at its end."""
    try:
        stream.flush()
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def unread_run(error: OSError, folder: Path) -> str:
    """Of a training whose lines nobody reads any more, as with `train.py | head`. folder: of its run."""
    discard(sys.stdout)
    return (
        f"cannot write to standard output ({error.strerror}), so training stops; {folder / 'log.txt'} has every "
        f"line, and --run-dir {folder} --resume continues it"
    )


def interrupt_behind(error: BaseException | None) -> KeyboardInterrupt | None:
    """The Ctrl-C that is behind an error: a library in C that is being imported may make an `ImportError` of it."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error


def end_process(interrupt: KeyboardInterrupt) -> NoReturn:
    """End this process at once, whatever its threads wait for: by the signal that it was sent, or with status 130."""
    with suppress(Exception):
        sys.stdout.flush()
    if interrupt.args:
        signal.signal(interrupt.args[0], signal.SIG_DFL)
        os.kill(os.getpid(), interrupt.args[0])
    os._exit(INTERRUPTED)


def restore_sigint() -> None:
    """To be called in a new process: one that is started in the background ignores Ctrl-C, as its parent does."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def open_closed_streams() -> None:
    """Standard streams that were closed (`2>&-`) get a place: else the next file that is opened would be taken for one.
    Reading from them and writing to standard output fails as it would without; what goes to standard error is lost."""
    for number, (name, mode) in enumerate(CLOSED.items()):
        if getattr(sys, name) is None:
            try:
                os.fstat(number)
            except OSError:
                os.set_inheritable(os.open(os.devnull, mode), True)  # the lowest free number, which is this one
            setattr(sys, name, open(number, "r" if name == "stdin" else "w", closefd=False))


def one_line(message: str) -> str:
    """The message without line breaks, which a quoted value may contain."""
    return "\\n".join(message.splitlines())


def suggestion(parser: argparse.ArgumentParser, message: str) -> str:
    """The flag or choice that is most like the one that argparse's message refuses, as `did_you_mean` says it."""
    choice = re.search(r"invalid choice: '(.+)' \(choose from (.+)\)", message)
    if choice:
        return did_you_mean(choice.group(1), (name.strip("'") for name in choice.group(2).split(", ")))
    if message.startswith("unrecognized arguments: "):
        words = message.split()[2:]
        flags = [word.partition("=")[0] for word in words if word.startswith("--")]
        return next(filter(None, (did_you_mean(flag, flags_of(parser)) for flag in flags)), "")
    return ""


def flags_of(parser: argparse.ArgumentParser) -> list[str]:
    """All flags of a parser and of its commands."""
    commands = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    parsers = [parser, *(inner for action in commands for inner in action.choices.values())]
    return [flag for each in parsers for flag in each._option_string_actions]


def unknown_corpus(name: str, marker: str, *folders: Path) -> str:
    """That no corpus has this name. marker: the file that such a corpus contains. folders: where they are; the first
    has the registry of those that can be fetched."""
    present = sorted(path.parent.name for folder in folders for path in folder.glob(f"*/{marker}"))
    files = "train.txt, dev.txt and test.txt" if marker == "train.txt" else f"{marker} and the files that go with it"
    fetched = json.loads((folders[0] / "registry.json").read_text(encoding="utf-8"))
    return (
        f"no corpus {name!r}: neither one of {', '.join(present) or 'none'} nor a folder with {files}; "
        f"install a real one with: python -m data get NAME{did_you_mean(name, [*present, *fetched])}"
    )


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """The end of a message about an unknown name: the known name that is most like it, or "" where none is."""
    by_lower_case = {str(each).lower(): str(each) for each in names}
    close = difflib.get_close_matches(name.lower(), by_lower_case, 1)
    return f"; did you mean {by_lower_case[close[0]]}?" if close else ""
