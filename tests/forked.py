"""A program in a process of its own that starts at once: a fork of the tests' process, which has loaded the libraries.

Loading DyNet, NumPy and matplotlib takes longer than a small training. A fork has them. All modules of the course it
forgets, and imports them again, so that nothing which a test has changed in them is left.
"""

from __future__ import annotations

import gc
import importlib
import io
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

ROOT = Path(__file__).resolve().parents[1]
FORKS = sys.platform == "linux"
"""Whether a process with DyNet and threads can be forked here and go on."""
LIBRARIES = ("dynet", "matplotlib.pyplot", "tqdm", "filelock", "sacrebleu")
COURSE = ("book", "chapters", "common", "data", "exercises", "solutions", "tools")
SILENT = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)
"""The warnings that Python leaves out where nobody asks for them."""


def run_forked(
    command: Sequence[str],
    stdin: str = "",
    env: Mapping[str, str] | None = None,
    preexec_fn: Callable[[], object] | None = None,
    timeout: float = 120,
) -> subprocess.CompletedProcess:
    """`python COMMAND`: a file, `-m` and a module, or `-c` and code, with arguments; as `subprocess.run` does."""
    for name in LIBRARIES:
        importlib.import_module(name)
    sys.stdout.flush()
    sys.stderr.flush()
    with tempfile.TemporaryFile() as typed, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        typed.write(stdin.encode())
        typed.seek(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of forks beside threads
            pid = os.fork()
        if pid == 0:
            become(command, (typed, out, err), env or {}, preexec_fn)
        status = wait(pid, command, timeout)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(io.TextIOWrapper(file, encoding="utf-8").read())
    return subprocess.CompletedProcess(command, status, *texts)


def wait(pid: int, command: Sequence[str], timeout: float) -> int:
    """The exit status, or minus the number of the signal that ended the process. Kills it when its time is over."""
    end = time.monotonic() + timeout
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise subprocess.TimeoutExpired(command, timeout)
        time.sleep(0.005)


def become(
    command: Sequence[str], files: Sequence[BinaryIO], env: Mapping[str, str], preexec_fn: Callable[[], object] | None
) -> None:
    """What the new process does: never returns."""
    status = 1
    try:
        gc.freeze()  # what the tests hold is nobody's garbage here, and stays shared
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.environ.update({"PYTHONIOENCODING": "utf-8"} | dict(env))
        for number, file in enumerate(files):
            os.dup2(file.fileno(), number)
        encoding = os.environ["PYTHONIOENCODING"]
        sys.stdin = io.TextIOWrapper(open(0, "rb", closefd=False), encoding=encoding)
        sys.stdout = io.TextIOWrapper(open(1, "wb", closefd=False), encoding=encoding)
        sys.stderr = io.TextIOWrapper(
            open(2, "wb", 0, closefd=False), encoding=encoding, errors="backslashreplace", write_through=True
        )
        os.chdir(ROOT)
        forget()
        if preexec_fn:
            preexec_fn()
        status = status_of(command)
        sys.stdout.flush()
    finally:
        os._exit(status)


def forget() -> None:
    """No module of the course is loaded, and warnings are shown as a new Python shows them."""
    for name in list(sys.modules):
        if name.split(".")[0] in COURSE:
            del sys.modules[name]
    warnings.resetwarnings()
    for kind in SILENT:
        warnings.simplefilter("ignore", kind)
    warnings.showwarning = lambda *warning: sys.stderr.write(warnings.formatwarning(*warning[:4]))


def status_of(command: Sequence[str]) -> int:
    """Run a command; the exit status that Python would end with, whose traceback is printed."""
    first, *rest = command
    try:
        if first == "-m":
            sys.argv = rest
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        elif first == "-c":
            sys.argv = ["-c", *rest[1:]]
            exec(compile(rest[0], "<string>", "exec"), {"__name__": "__main__"})
        else:
            sys.argv = list(command)
            runpy.run_path(first, run_name="__main__")
    except SystemExit as stopped:
        if isinstance(stopped.code, str):
            print(stopped.code, file=sys.stderr)
            return 1
        return stopped.code or 0
    except BaseException:
        traceback.print_exc()
        return 1
    return 0
