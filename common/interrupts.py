"""Ctrl-C while a program starts or ends: one line and status 130, as everywhere else in a program.

Where nothing is written yet or any more, above all while libraries are imported, the process ends at once: an error
that is raised inside an import comes out as a traceback of somebody else's code. Like `environment`, this file has to
be understood by old Pythons.
"""

import os
import signal
import sys
from contextlib import contextmanager

STATUS = 130


def end_at_once():
    """From here on Ctrl-C ends the process, unless whoever started it wants it to be ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)


def end(number, frame):
    """What Ctrl-C does outside of `raised`: what was printed is kept, then the line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        sys.stdout.flush()
    except Exception:  # nobody reads any more, or it was being written to
        pass
    os.write(2, b"\ninterrupted\n")
    os._exit(STATUS)


@contextmanager
def raised():
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
