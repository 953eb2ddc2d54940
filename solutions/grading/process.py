"""The processes that run students' code, from outside: what is sent to them, what is taken from them, how they end."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path

from solutions.grading import sandbox
from solutions.grading.jobs import START, AloneJob, ForkedJob, Job, Request, RunResult, converse, decode
from solutions.grading.printed import Printed
from solutions.grading.scratch import make_folder, name_folder, remove_folder
from solutions.sets import ROOT

LIMIT = 10.0
"""Seconds that one grader or one exam may take."""
MEMORY = 4.0
"""Gigabytes that a process may allocate."""
MARK = "COURSE_GRADING"
"""An environment variable by which everything that a server started can be found, on Linux."""
AGAIN = 3
"""How often a request is made again whose process ended, or said nothing, before it came to the student's code."""
FORKS = hasattr(os, "fork") and hasattr(socket, "send_fds")

ENDING = threading.Lock()


class Server:
    """server.py as its clients see it. Several threads may send requests at once, where it forks."""

    running: set[Server] = set()
    ending = False
    """Whether all servers are being ended: then no other begins."""

    def __init__(
        self,
        paths: list[Path],
        *,
        course: Path = ROOT,
        guarded: bool = True,
        memory: float = MEMORY,
        isolated: bool = False,
        imports: Sequence[str] = (),
    ):
        """paths: of graders or of exams, as the process sees them. isolated: by bubblewrap, which must be there.

        imports: modules that students' files will want, loaded beforehand.
        """
        self.isolated = isolated and FORKS
        hidden = [os.fspath(folder / "solutions") for folder in (ROOT, course, Path(sandbox.COURSE))]
        self.setup = {"guarded": guarded, "memory": memory, "hidden": hidden, "nested": self.isolated}
        self.setup |= {"imports": [*imports], "paths": [os.fspath(path) for path in paths]}
        self.course, self.lock, self.alone, self.nested = course, threading.Lock(), threading.Lock(), False
        self.mark, self.process = secrets.token_hex(8), None
        with ENDING:
            if Server.ending:
                raise RuntimeError("the grading is being ended")
            self.scratch = name_folder("grading")
            Server.running.add(self)
        try:
            make_folder(self.scratch)
            self._start()
        except BaseException:
            self.close()
            raise

    def _start(self) -> None:
        course = sandbox.COURSE if self.isolated else os.fspath(self.course)
        paths = os.pathsep.join([course, *filter(None, [os.environ.get("PYTHONPATH")])])
        temporary = sandbox.OWN_FOLDER if self.isolated else os.fspath(self.scratch)
        about = {MARK: self.mark, "TMPDIR": temporary, "TEMP": temporary, "PYTHONPATH": paths}
        steady = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "MPLBACKEND": "Agg"}
        program = [sys.executable, "-B", "-m", "solutions.grading.server"]
        options = {"stderr": subprocess.PIPE, "env": {**os.environ, **about, **steady}, "start_new_session": True}
        if FORKS:
            self.channel, theirs = socket.socketpair()
            program = (sandbox.command(self.course) if self.isolated else []) + program + [str(theirs.fileno())]
            streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "pass_fds": [theirs.fileno()]}
            self._spawn(program, **streams, **options)
            theirs.close()
            self.channel.settimeout(START)
            self.input, output = self.channel.makefile("wb", buffering=0), self.channel.makefile("rb")
        else:
            streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            self._spawn(program, **streams, **options)
            self.input, output = self.process.stdin, self.process.stdout
        printed = Printed()
        reader = threading.Thread(target=printed.read, args=(self.process.stderr,), daemon=True)
        reader.start()
        try:
            self.input.write(json.dumps(self.setup).encode() + b"\n")
            if not FORKS:
                self.input.flush()
            ready = decode(output.readline())
        except OSError:
            ready = None
        if not ready:
            self._kill()
            reader.join(1)
            message = " ".join(printed.text().split())
            raise RuntimeError(f"the graders could not be loaded: {message[-600:]}")
        self.nested = ready["nested"]
        if FORKS:
            self.channel.settimeout(None)
        else:
            self.job = AloneJob(self, output, printed)

    def _spawn(self, program: Sequence[str], **options: object) -> None:
        """Start the process, unless all servers are being ended: then it would outlive them. Raises `OSError`."""
        with ENDING:
            if Server.ending:
                raise OSError("the grading is being ended")
            self.process = subprocess.Popen(program, cwd=self.scratch, **options)

    def run(self, request: Request, limit: float) -> RunResult:
        """Run what the request names, each for `limit` seconds at most. Whatever happens is an outcome."""
        (ran,) = self.run_some([request], limit)
        return ran

    def run_some(self, requests: Sequence[Request], limit: float) -> Iterator[RunResult]:
        """Several requests about one submission, in their order, until no more come.

        They share a process as long as all goes well in it. What does not go well is run again in a process of its
        own, so that nothing depends on earlier requests; for a file that could not be loaded in time, a short run will
        do, as one that can be loaded alone takes no time for it.
        """
        with nullcontext() if FORKS else self.alone:
            yield from self._run_some(requests, limit)

    def _run_some(self, requests: Sequence[Request], limit: float) -> Iterator[RunResult]:
        waiting, seconds = list(requests), limit * sum(len(request.names) for request in requests)
        lost, process, slow = 0, 0, None
        while waiting:
            process += 1
            with self.lock:
                job = self._begin()
            try:
                served = 0
                while waiting:
                    ran, job.clean = converse(job, waiting[0], limit / 5 if slow else limit, seconds)
                    if not job.clean and served:
                        slow = ran if ran.stuck else None
                        break
                    if slow and ran.started:
                        slow, first = None, slow
                        if ran.stuck:
                            ran = first
                        elif not job.clean:  # alone it can be loaded: once more, with all the time
                            break
                    if not ran.started and lost < AGAIN:
                        lost += 1
                        time.sleep(lost)
                        break
                    served, ran.process = served + 1, process
                    del waiting[0]
                    yield ran
                    if not job.clean:
                        break
            finally:
                job.close()

    def _begin(self) -> Job:
        """A new job; where the server is gone, of a new server. Raises `OSError` where there is none to be had."""
        try:
            return self._next_job()
        except OSError:
            self._kill()
        try:
            return self._next_job()
        except OSError:
            self._kill()
            raise

    def _next_job(self) -> Job:
        if self.process.poll() is not None:
            self._start()
        return ForkedJob(self.channel) if FORKS else self.job

    def _kill(self) -> None:
        """End the server and everything that it has started."""
        process = self.process
        if os.name == "posix":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            end_marked(self.mark)
        elif process.poll() is None:
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
        process.wait()

    @staticmethod
    def end_all() -> None:
        """End all servers for good, before this process ends."""
        with ENDING:
            Server.ending = True
        for server in list(Server.running):
            server.close()

    def close(self) -> None:
        if self not in Server.running:
            return
        Server.running.discard(self)
        if self.process is not None:
            self._kill()
        if FORKS and self.process is not None:
            self.channel.close()
        remove_folder(self.scratch)


def end_marked(mark: str) -> None:
    """End the processes whose environment holds the mark, wherever they have moved to (Linux)."""
    variable = f"{MARK}={mark}".encode()
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if variable in path.read_bytes().split(b"\0"):
                os.kill(int(path.parent.name), signal.SIGKILL)
        except OSError:
            continue
