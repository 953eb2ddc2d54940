"""The process that runs a student's code, from outside: what is sent to it, what it may take, and how it ends."""

from __future__ import annotations

import json
import os
import queue
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from solutions.execution import FAILED, PASSED, Outcome, Source
from solutions.sets import ROOT

LIMIT = 10.0
"""Seconds that one grader may take."""
START = 120.0
"""Seconds that a process may take to load the graders, on a slow disk."""
MEMORY = 4.0
"""Gigabytes that the process may ask for."""
MARK = "COURSE_GRADING"
"""An environment variable by which everything that a graded process started can be found, on Linux."""
KEPT = 4000
"""Characters kept of what a student's code prints."""


class Worker:
    """A process that runs graders on the files it is sent: worker.py seen from outside."""

    running: set[Worker] = set()

    def __init__(self, graders: list[Path], guarded: bool = True, memory: float = MEMORY):
        self.scratch = Path(tempfile.mkdtemp(prefix="grading-"))
        self.mark = secrets.token_hex(8)
        paths = os.pathsep.join([os.fspath(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        about = {
            MARK: self.mark,
            "TMPDIR": os.fspath(self.scratch),
            "TEMP": os.fspath(self.scratch),
            "PYTHONPATH": paths,
        }
        steady = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "MPLBACKEND": "Agg"}
        self.process = subprocess.Popen(
            [sys.executable, "-B", "-m", "solutions.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.scratch,
            env={**os.environ, **about, **steady},
            start_new_session=True,
        )
        Worker.running.add(self)
        self.answers: queue.Queue[bytes | None] = queue.Queue()
        self.printed = b""
        for target in (self._read_answers, self._read_printed):
            threading.Thread(target=target, daemon=True).start()
        setup = {"graders": [os.fspath(path) for path in graders], "guarded": guarded, "memory": memory}
        places = {"scratch": os.fspath(self.scratch), "answers": os.fspath(ROOT / "solutions")}
        outcome = self._ask({**setup, **places}, START, set())
        if outcome.status != "ready":
            self.close()
            printed = " ".join(self.printed.decode("utf-8", "replace").split())
            raise RuntimeError(f"the graders could not be loaded: {printed[-600:] or outcome.message}")

    def _read_answers(self) -> None:
        for line in iter(lambda: self.process.stdout.readline(1_000_000), b""):
            self.answers.put(line)
        self.answers.put(None)

    def _read_printed(self) -> None:
        for block in iter(lambda: self.process.stderr.read1(65536), b""):
            if len(self.printed) < KEPT:
                self.printed += block[: KEPT - len(self.printed)]

    def run(
        self, path: Path, test: str, file: str, files: dict[str, Source], names: list[str], limit: float
    ) -> Outcome:
        """Run a grader, `test` of the grader's file `path`, on one of the files. `alive` says whether one may go on."""
        request = {
            "grader": os.fspath(path),
            "test": test,
            "file": file,
            "files": {name: [source.path, source.text] for name, source in files.items()},
            "names": names,
            "limit": limit,
        }
        self.printed = b""
        outcome = self._ask(request, limit + 3, {source.path for source in files.values()})
        if outcome.status != PASSED:
            time.sleep(0.05)  # what was printed comes through another pipe, and a little later
        return outcome

    def output(self) -> str:
        """The beginning of what the last grader's run printed."""
        lines = self.printed.decode("utf-8", "replace").splitlines()
        return "\n".join(line for line in lines if not line.startswith("[dynet]"))

    def _ask(self, request: dict, patience: float, paths: set[str]) -> Outcome:
        nonce, seconds = secrets.token_hex(16), request.get("limit", patience)
        try:
            self.process.stdin.write(json.dumps({**request, "nonce": nonce}).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            return Outcome(FAILED, "the process ended by itself before the grader was through")
        traceback: list[str] = []
        while True:
            try:
                line = self.answers.get(timeout=patience)
            except queue.Empty:
                self.kill()
                return Outcome(FAILED, f"no answer after {seconds:g} seconds: is there a loop that never ends?")
            if line is None:
                return self._ended(traceback, paths, seconds)
            answer = decode(line)
            if answer is not None and answer.get("nonce") == nonce:
                if answer.get("last"):
                    self.kill()  # now, so that `alive` is true of no process that is about to end
                return Outcome(str(answer["status"]), str(answer["message"]))
            if len(traceback) < 1000:
                traceback.append(line.decode("utf-8", "replace"))

    def _ended(self, traceback: list[str], paths: set[str], seconds: float) -> Outcome:
        """The process is gone. If that was the time limit, it has told where it was."""
        self.kill()
        if not any(line.startswith("Timeout") for line in traceback):
            return Outcome(FAILED, f"the file ended the process (status {self.process.returncode})")
        for line in traceback:
            place = re.match(r'\s*File "(.*)", line (\d+) in ', line)
            if place and place[1] in paths:
                where = f"{place[1]}, line {place[2]}: "
                return Outcome(FAILED, f"{where}still running after {seconds:g} seconds: a loop that never ends?")
        return Outcome(FAILED, f"still running after {seconds:g} seconds: a loop that never ends?")

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def kill(self) -> None:
        """End the process and everything that it has started."""
        if os.name == "posix":
            end_group(self.process.pid)
            end_marked(self.mark)
        elif self.alive:
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(self.process.pid)], capture_output=True, check=False)
        self.process.wait()

    @staticmethod
    def end_all() -> None:
        """End every process that is still running."""
        for worker in list(Worker.running):
            worker.close()

    def close(self) -> None:
        self.kill()
        Worker.running.discard(self)
        shutil.rmtree(self.scratch, ignore_errors=True)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def decode(line: bytes) -> dict | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def end_group(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def end_marked(mark: str) -> None:
    """End the processes whose environment holds the mark, wherever they have moved to (Linux)."""
    wanted = f"{MARK}={mark}".encode()
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if wanted in path.read_bytes().split(b"\0"):
                os.kill(int(path.parent.name), signal.SIGKILL)
        except OSError:
            continue
