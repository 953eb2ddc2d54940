"""Training a chapter's quick preset from the page: one program at a time, in a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from common import ROOT, program_of
from common.endings import one_line, restore_sigint
from common.errors import UserError
from common.training.past_runs import read_config
from common.training.runs import new_folder

from .shelf import chapters_to_train

WAITING, RUNNING, DONE, FAILED, STOPPED = "waiting", "running", "done", "failed", "stopped"
KEPT_LINES = 4
EPOCH = re.compile(r"^epoch +(\d+) ")
GRACE = 10
"""Seconds in which a program that is to stop may tidy up."""


@dataclass
class Job:
    """A training run that was asked for, and how far it is. message: why it failed, in one line."""

    number: int
    chapter: str
    state: str = WAITING
    folder: Path | None = None
    process: subprocess.Popen | None = None
    message: str = ""

    def about(self) -> dict:
        """What the page shows of it."""
        lines = self.log_lines()
        epochs = [int(match[1]) for line in lines if (match := EPOCH.match(line))]
        return {
            "number": self.number,
            "chapter": self.chapter,
            "state": self.state,
            "epochs_done": max(epochs, default=0),
            "epochs": self.epochs_wanted(),
            "lines": [line for line in lines if line.strip()][-KEPT_LINES:],
            "message": self.message,
        }

    def log_lines(self) -> list[str]:
        try:
            return (self.folder / "log.txt").read_text("utf-8", "replace").splitlines() if self.folder else []
        except OSError:
            return []

    def epochs_wanted(self) -> int:
        """How many epochs the run is to have; 0 while its settings are not written yet."""
        try:
            return int(read_config(self.folder)["settings"].get("epochs", 0)) if self.folder else 0
        except UserError:
            return 0


class Jobs:
    """The training runs of this page, the first waiting one begun when the one before has ended."""

    def __init__(self, flags: Sequence[str] = ()):
        """flags: more flags for every train.py."""
        self.flags, self.jobs, self.working = list(flags), [], False
        self.lock = threading.Lock()

    def about(self) -> list[dict]:
        with self.lock:
            return [job.about() for job in self.jobs]

    def start(self, chapter: str) -> Job:
        """Train a chapter's quick preset, now or when the others are done. Raises `UserError` where that cannot be."""
        if chapter not in chapters_to_train():
            raise UserError(f"{chapter!r:.80}: not a chapter whose models this page shows")
        with self.lock:
            if any(job.chapter == chapter and job.state in (WAITING, RUNNING) for job in self.jobs):
                raise UserError(f"{chapter}: already being trained; wait until it ends")
            job = Job(len(self.jobs) + 1, chapter)
            self.jobs.append(job)
            if not self.working:
                self.working = True
                threading.Thread(target=self.work, daemon=True).start()
        return job

    def stop(self, number: int) -> None:
        """End a job, or forget it while it waits. Raises `UserError` where there is none of this number."""
        with self.lock:
            job = next((job for job in self.jobs if job.number == number), None)
            if job is None:
                raise UserError(f"no training run {number}; reload the page")
            if job.state in (WAITING, RUNNING):
                job.state = STOPPED
            process = job.process
        if process:
            end(process)

    def close(self) -> None:
        """End all of them."""
        for job in reversed(self.about()):  # those that wait first, or each would begin when the one before it ends
            self.stop(job["number"])

    def work(self) -> None:
        """Train until nothing waits. What cannot even be started (a full disk, no process left) has failed."""
        while job := self.next_job():
            try:
                with tempfile.TemporaryFile() as errors:
                    self.begin(job, errors)
                    status = job.process.wait() if job.process else 0
                    errors.seek(0)
                    errors_text = errors.read().decode("utf-8", "replace")
                state, message = (DONE, "") if status == 0 else (FAILED, last_line(errors_text))
            except (OSError, UserError) as error:
                state, message = FAILED, one_line(str(error))
            with self.lock:
                if job.state == RUNNING:
                    job.state, job.message = state, message

    def next_job(self) -> Job | None:
        """The first job that waits, which now counts as running; None where none does, and the work is over."""
        with self.lock:
            job = next((job for job in self.jobs if job.state == WAITING), None)
            self.working = job is not None
            if job is not None:
                job.state = RUNNING
        return job

    def begin(self, job: Job, errors: IO[bytes]) -> None:
        """Start the job's train.py, if nobody has stopped it yet. errors: where its standard error goes."""
        with self.lock:
            if job.state != RUNNING:
                return
            job.folder = new_folder(job.chapter)
            command = [sys.executable, program_of(job.chapter, "train"), "--run-dir", str(job.folder), *self.flags]
            nothing = subprocess.DEVNULL
            options = {} if os.name == "nt" else {"preexec_fn": restore_sigint}
            job.process = subprocess.Popen(command, cwd=ROOT, stdin=nothing, stdout=nothing, stderr=errors, **options)


def end(process: subprocess.Popen) -> None:
    """End a program as Ctrl-C does, or by force where that does not help."""
    if process.poll() is None:
        process.terminate() if os.name == "nt" else process.send_signal(signal.SIGINT)
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def last_line(text: str) -> str:
    """What a program said last on standard error: its one-line message."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("[dynet]")]
    return lines[-1].removeprefix("error: ") if lines else "it ended without a word"
