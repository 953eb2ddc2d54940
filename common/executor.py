"""Where work is done: in processes on this machine, or on a Dask cluster that `--scheduler ADDRESS` names.

The interface is that of `concurrent.futures`. A piece of work is a function of a module with its arguments; what takes
time in it is a program of the course, which `run` runs in a process of its own. So on this machine a thread that waits
is enough for each piece, and where the work is given up, after an error or Ctrl-C, the processes are ended. A cluster
calls the same function in one of its workers, gives the piece of a worker that died to another one, and shares the
course's folder and the folders of runs with this machine. tools/cluster.md shows how to start one.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import logging
import os
import platform
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from common import ROOT
from common.errors import UserError
from common.files import atomic_write, reading

T = TypeVar("T")
ADDRESS = "address of a Dask cluster that does the work instead of this machine: tcp://HOST:PORT (tools/cluster.md)"
VARIABLES = ("COURSE_DATA", "COURSE_RUNS", "PYTHONPATH")
"""Variables of the environment that say where things are found, and go with every piece of work."""
SHARE = "the course, its runs and what it reads must be in folders that all machines share"
MOST_JOBS = 1_000
"""Pieces of work at a time that --jobs may ask of one machine."""
PATIENCE = 5
"""Seconds in which a scheduler has to answer."""
TIMES = 3
"""How often work is begun whose process is killed, by somebody or for want of memory."""
KILL_WITH_PARENT = 1
"""What Linux calls PR_SET_PDEATHSIG."""
LIBC: Any = ctypes.CDLL(None) if sys.platform == "linux" else None


class Place(NamedTuple):
    """Where a program was started: what a piece of its work must find wherever it is done.

    shared: the folder that is written to; token: what is in the file there that says which folder it is.
    """

    root: Path
    folder: Path
    variables: dict[str, str]
    shared: Path | None = None
    token: str = ""


HERE: ContextVar[Place | None] = ContextVar("HERE", default=None)
"""The place of the piece of work that this thread does for another machine."""


def scheduler_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--scheduler ADDRESS`."""
    parser.add_argument("--scheduler", default="", metavar="ADDRESS", help=ADDRESS)


class Children:
    """The processes that pieces of work have started and wait for."""

    def __init__(self) -> None:
        self.lock, self.running, self.given_up = threading.Lock(), set(), False

    def run(self, command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
        """As `subprocess.run` with `capture_output`. Raises `CancelledError` where the work has been given up."""
        with self.start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options) as process:
            try:
                output, errors = process.communicate()
            except BaseException:
                process.kill()
                raise
            finally:
                self.running.discard(process)
        return subprocess.CompletedProcess(command, process.returncode, output, errors)

    def start(self, command: Sequence[str], **options: Any) -> subprocess.Popen[str]:
        """A process that `give_up` ends, whichever of the two comes first."""
        with self.lock:
            if self.given_up:
                raise CancelledError
            process = subprocess.Popen(command, **options)
            self.running.add(process)
            return process

    def give_up(self) -> None:
        """End all of them, and let no other begin."""
        with self.lock:
            self.given_up = True
            for process in list(self.running):
                process.terminate()


CHILDREN: ContextVar[Children | None] = ContextVar("CHILDREN", default=None)
"""Those of the pool that this thread belongs to, if it belongs to one."""


def is_given_up() -> bool:
    """Whether nobody waits any more for the piece of work that this thread does."""
    children = CHILDREN.get()
    return children is not None and children.given_up


class Threads(ThreadPoolExecutor):
    """Threads that wait for processes. Python does not exit before its threads end, so these must not wait in vain."""

    def __init__(self, jobs: int):
        self.children = Children()
        super().__init__(jobs, initializer=CHILDREN.set, initargs=(self.children,))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """cancel_futures: what has not begun is forgotten, and the processes of what has begun are ended."""
        super().shutdown(wait=False, cancel_futures=cancel_futures)
        if cancel_futures:
            self.children.give_up()
        super().shutdown(wait)


@contextmanager
def open_executor(jobs: int, scheduler: str = "", shared: Path | None = None) -> Iterator[Executor]:
    """What does `jobs` pieces of work at a time on this machine, or as many as the cluster's workers have threads.

    An error inside of it gives the work up (`shutdown`). shared: the folder that the work writes to, which every worker
    must see. Raises `UserError` for a scheduler that does not answer, and where the package for it is missing.
    """
    pool = Cluster(scheduler, shared) if scheduler else Threads(jobs)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


def completed(futures: Mapping[Future, T]) -> Iterator[tuple[T, Any]]:
    """What each future stands for, with its result, as they come. Raises what a piece of work has raised."""
    waiting = dict(futures)
    while waiting:
        done, _ = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)  # without an end, Windows hears no Ctrl-C
        for future in [future for future in waiting if future in done]:
            yield waiting.pop(future), result_of(future)


def result_of(future: Future) -> Any:
    """The result of a piece of work. Raises `UserError` where the cluster has failed it."""
    try:
        return future.result()
    except CancelledError:
        raise UserError(
            "--scheduler: the scheduler has gone; start it again, then repeat the same command to continue"
        ) from None
    except Exception as error:
        failed: Any = error
        if type(error).__name__ == "KilledWorker":
            raise UserError(f"--scheduler: {failed.allowed_failures + 1} workers died on one piece of work") from None
        raise


def run(words: Sequence[str], sees: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """Run `python WORDS` in a process of its own with one thread, which ends when this process ends (on Linux).

    sees: paths that must be there. Raises `UserError` for one that is not.
    """
    place = HERE.get() or here()
    for path in sees:
        if not (place.folder / path).exists():
            raise UserError(f"{path}: not visible on {platform.node()}; {SHARE}")
    others = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    ours = {"OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
    children = CHILDREN.get() or Children()
    return children.run(
        [sys.executable, *words],
        cwd=place.folder,
        env={**others, **place.variables, **ours},
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
        preexec_fn=end_with_parent if LIBC else None,
    )


def run_again(words: Sequence[str], sees: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """As `run`; where the process is killed, it is started again, `TIMES` times in all at most."""
    for _ in range(TIMES):
        done = run(words, sees)
        if not was_killed(done):
            break
    return done


def was_killed(done: subprocess.CompletedProcess[str]) -> bool:
    """Whether a signal ended a process, other than Ctrl-C."""
    return done.returncode < 0 and done.returncode != -signal.SIGINT


def end_with_parent() -> None:
    """To be called in a new process: the system kills it when the process that started it has ended (Linux)."""
    LIBC.prctl(KILL_WITH_PARENT, signal.SIGKILL)


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    """Why a program failed, as it says itself; "killed" where it could not say anything."""
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return lines[-1].removeprefix("error: ") if lines else "killed"


def here(shared: Path | None = None) -> Place:
    """This process's own place."""
    variables = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    return Place(ROOT, Path.cwd(), variables, shared, mark(shared) if shared else "")


def mark(shared: Path) -> str:
    """What the file .shared in this folder says, which is written where it is not there: like in no other folder."""
    path = shared / ".shared"
    if not path.exists():
        with atomic_write(path) as file:
            file.write(secrets.token_hex(16) + "\n")
    with reading(path, "removed meanwhile; begin again", "not readable; remove it"):
        return path.read_text(encoding="utf-8")


class Cluster(Executor):
    """A Dask cluster: what `submit` is given must be importable where the workers were started."""

    def __init__(self, address: str, shared: Path | None):
        """Raises `UserError` for an address where no scheduler answers, and where Dask is missing."""
        try:
            import distributed
        except ImportError:
            raise UserError('--scheduler needs the package distributed: pip install -e ".[cluster]"') from None
        for name in list(logging.root.manager.loggerDict):  # what goes wrong is said in one line, here
            if name.partition(".")[0] in ("distributed", "tornado"):  # some parts of them have levels of their own
                logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            asyncio.run(asyncio.wait_for(knock(address), 2 * PATIENCE))
        except Exception as error:  # of many kinds: no such host, no port, not a scheduler
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise UserError(f"--scheduler {address}: no Dask scheduler answers there ({reason})") from None
        self.place = here(shared)
        self.client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
        self.pool = self.client.get_executor(pure=False)
        if not self.slots:
            print(f"{address} has no worker yet; the work begins when one comes", file=sys.stderr)

    @property
    def slots(self) -> int:
        """How many pieces of work are done at a time, now."""
        return sum(self.client.nthreads().values())

    def submit(  # type: ignore[override]
        self, function: Callable[..., T], /, *arguments: Any
    ) -> Future[T]:
        return self.pool.submit(on_worker, self.place, function, arguments)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster. What its workers have begun, they end; what they have not begun is forgotten."""
        self.client.close()


async def knock(address: str) -> None:
    """See whether there is a scheduler. A client that finds none would leave threads behind, which complain later."""
    from distributed.comm import connect

    comm = await connect(address, timeout=PATIENCE)
    await comm.close()


def on_worker(place: Place, function: Callable[..., T], arguments: Sequence[Any]) -> T:
    """Do a piece of work of a program that was started elsewhere. Raises `UserError` where this is not possible."""
    machine = platform.node()
    if place.root != ROOT:
        raise UserError(f"the worker on {machine} runs the course in {ROOT}, not in {place.root}; start it there")
    for path in (place.folder, place.shared or place.folder):
        if not path.is_dir():
            raise UserError(f"the worker on {machine} cannot find {path}; {SHARE}")
    if place.shared and mark(place.shared) != place.token:
        raise UserError(f"{place.shared} is not the same folder on {machine} as here; {SHARE}")
    token = HERE.set(place)
    try:
        return function(*arguments)
    finally:
        HERE.reset(token)
