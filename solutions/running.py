"""Grading a folder: which task passes, which does not and why. The student's code runs in another process.

Here it is known beforehand which graders there are; a task passes only when each of them has answered so. A process
that ends, hangs or talks nonsense fails the task that was being graded, and another one takes up the rest.
"""

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
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from solutions.execution import FAILED, NOT_ATTEMPTED, PASSED, Outcome, Source
from solutions.reading import find_problem, is_untouched, read_files
from solutions.sets import ROOT, ExerciseSet, Grader, Task, find_sets
from solutions.stubs import is_answer, mutate

LIMIT = 10.0
"""Seconds that one grader may take."""
START = 60.0
"""Seconds that a process may take to load the graders, on a slow disk."""
TOTAL = 600.0
"""Seconds that a whole submission may take."""
MEMORY = 4.0
"""Gigabytes that the process may ask for."""
MARK = "COURSE_GRADING"
"""An environment variable by which everything that a graded process started can be found, on Linux."""
GONE = "not graded: an earlier check of this exercise ended the process"
KEPT = 4000
"""Characters kept of what a student's code prints."""


class Worker:
    """A process that runs graders on the files it is sent: worker.py seen from outside."""

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
        return self._ask(request, limit + 3, {source.path for source in files.values()})

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

    def close(self) -> None:
        self.kill()
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


@dataclass
class TaskResult:
    """How a task did. graders: of each its outcome; where something was wrong before they began, there are none."""

    one: ExerciseSet
    task: Task
    status: str
    message: str = ""
    graders: dict[str, Outcome] = field(default_factory=dict)

    @property
    def points(self) -> float:
        return self.task.points

    @property
    def score(self) -> float:
        return self.task.points if self.status == PASSED else 0.0


def grade(
    folder: Path,
    tasks: list[tuple[ExerciseSet, Task]],
    *,
    guarded: bool = True,
    limit: float = LIMIT,
    total: float = TOTAL,
    memory: float = MEMORY,
    progress: Callable[[TaskResult], None] = lambda result: None,
) -> list[TaskResult]:
    """Grade the tasks on the files of a submission, with `limit` seconds a grader and `total` for everything.

    guarded: with the fence of guard.py, and with a probe afterwards. Graders that no longer catch a wrong answer were
    tampered with, and then nothing counts that passed before them.
    """
    files = {one.name: read_files(folder, one) for one, _ in tasks}
    results = {task.number: before_running(one, task, files[one.name], folder) for one, task in tasks}
    waiting = [(one, task) for one, task in tasks if results[task.number] is None]
    end = time.monotonic() + total
    while waiting:
        with Worker(sorted({one.folder / f"test_{task.file}.py" for one, task in waiting}), guarded, memory) as worker:
            passed, ended = [], 0
            for one, task in waiting:
                left = end - time.monotonic()
                results[task.number] = result = run_task(worker, one, task, files[one.name], min(limit, max(left, 0.1)))
                ended += 1
                if not worker.alive:
                    break
                if result.status == PASSED:
                    passed.append((one, task))
            if not guarded or not worker.alive:  # what a dead process let pass cannot be probed: once more, without it
                waiting = (passed if guarded else []) + waiting[ended:]
                continue
            waiting = []
            if not all(still_catches(worker, one, task, limit) for one, task in passed):
                for _, task in passed:
                    results[task.number].status = FAILED
                    results[task.number].message = "graders no longer catch a wrong answer: they were tampered with"
    for result in results.values():
        progress(result)
    return list(results.values())


def before_running(one: ExerciseSet, task: Task, files: dict[str, Source], folder: Path) -> TaskResult | None:
    """The result of a task for which nothing has to run."""
    if is_untouched(task, one, files):
        return TaskResult(one, task, NOT_ATTEMPTED)
    problem = find_problem(task, one, files, folder)
    return TaskResult(one, task, FAILED, problem) if problem else None


def run_task(worker: Worker, one: ExerciseSet, task: Task, files: dict[str, Source], limit: float) -> TaskResult:
    """All graders of a task. The first that does not pass gives the message."""
    result = TaskResult(one, task, PASSED)
    for grader in one.graders:
        if grader.task == task.number:
            outcome = run_one(worker, one, grader, files, limit) if worker.alive else Outcome(FAILED, GONE)
            result.graders[grader.name] = outcome
            if outcome.status != PASSED and result.status == PASSED:
                result.status, result.message = outcome.status, outcome.message
    if not result.graders:
        result.status, result.message = FAILED, f"exercise {task.number} has no grader"
    return result


def run_one(worker: Worker, one: ExerciseSet, grader: Grader, files: dict[str, Source], limit: float) -> Outcome:
    path = one.folder / f"test_{grader.file}.py"
    return worker.run(path, grader.name, grader.file, files, list(one.answers), limit)


def still_catches(worker: Worker, one: ExerciseSet, task: Task, limit: float) -> bool:
    """Whether the graders of a task, in a process that has run a student's code, still catch a wrong answer."""
    for number, right, wrong in one.mutants.get(task.file, []):
        if number == task.number and is_answer(one.answers[task.file]):
            path = str(one.path_of(task.file))
            files = answer_files(one) | {task.file: Source(path, mutate(one.answers[task.file], right, wrong, path))}
            return any(
                run_one(worker, one, grader, files, limit).status != PASSED
                for grader in one.graders
                if grader.task == task.number
            )
    return True


def answer_files(one: ExerciseSet) -> dict[str, Source]:
    """The answers of a set, as if they were a submission."""
    return {name: Source(str(one.path_of(name)), text) for name, text in one.answers.items()}


class Course:
    """All sets and one submission, graded set by set as results are asked for: what pytest needs."""

    def __init__(self, submission: Path):
        self.submission = submission
        self.sets = {one.folder: one for one in find_sets()}
        self.results: dict[Path, dict[str, TaskResult]] = {}

    def outcome(self, one: ExerciseSet, grader: Grader) -> Outcome:
        """How a grader ended on the submission."""
        if one.folder not in self.results:
            found = grade(self.submission, [(one, task) for task in one.tasks.values()])
            self.results[one.folder] = {result.task.number: result for result in found}
        result = self.results[one.folder][grader.task]
        return result.graders.get(grader.name, Outcome(result.status, result.message))

    def summary(self) -> list[str]:
        """A line for each set that was graded: points, and what is not attempted."""
        lines = []
        for folder, results in self.results.items():
            score, points = (sum(getattr(one, name) for one in results.values()) for name in ("score", "points"))
            blank = sum(one.status == NOT_ATTEMPTED for one in results.values())
            lines.append(f"{folder.name:24} {score:5g} of {points:g} points, {blank} of {len(results)} not attempted")
        return lines
