"""Training runs as pieces of work, done here or elsewhere (`common.executor`): the ladder's, a comparison's, a sweep's.

A finished run is never trained again, and an unfinished one goes on. So a piece of work may be done twice, after the
worker that did it has died: the second time it goes on where the first one came to. For the same reason what is being
trained can be ended as soon as an error or Ctrl-C ends the program: its next start goes on with it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout
from tqdm import tqdm

from common.errors import UserError
from common.executor import TIMES, completed, is_given_up, last_line, open_executor, run, was_killed
from common.text.corpus import ROOT
from common.training.runs import LOCK
from tools.metrics import WRITTEN_TO_THE_END

DELAY = 60
"""Seconds after which a file that another machine has written is seen here."""


class Training(NamedTuple):
    """A run that is to be there. flags: those of the chapter's train.py that make it. about: what to call it."""

    about: str
    chapter: str
    folder: Path
    flags: tuple[str, ...]

    def is_finished(self) -> bool:
        """Whether it was trained to its end, by whatever version of the code."""
        return (self.folder / WRITTEN_TO_THE_END).exists()

    def command(self) -> list[str]:
        """What trains it, after `python`, or goes on with it where it was begun."""
        program = [str(ROOT / "chapters" / self.chapter / "train.py"), "--run-dir", str(self.folder)]
        return [*program, *self.flags, *(["--resume"] if (self.folder / "config.json").exists() else [])]


def train(training: Training) -> None:
    """Train in a process of its own with one thread, or go on. Raises `UserError` where that fails."""
    wait_until_free(training.folder)
    for _ in range(TIMES):
        if training.is_finished():
            return
        done = run(training.command())
        if not was_killed(done):
            break
    if done.returncode != 0:
        raise UserError(f"{training.about}: {last_line(done)}")


def wait_until_free(folder: Path) -> None:
    """Wait until no program writes this run: one whose worker was given up may still do so for a while."""
    with suppress(OSError, NotImplementedError):  # where a folder cannot be locked, train.py says so
        folder.mkdir(parents=True, exist_ok=True)
        while not is_given_up():
            with suppress(Timeout), FileLock(folder / LOCK, timeout=0.5):
                return


def train_all(trainings: Sequence[Training], jobs: int, scheduler: str, shared: Path) -> None:
    """Train what is not finished, `jobs` at a time here, or on the cluster of a scheduler. shared: holds all runs."""
    missing = [training for training in trainings if not training.is_finished()]
    with open_executor(jobs, scheduler, shared) as pool:
        futures = {pool.submit(train, training): training for training in missing}
        for training, _ in tqdm(completed(futures), total=len(futures), desc="training", unit="run", disable=None):
            wait_until_seen(training)
            tqdm.write(f"{training.about}: done")


def wait_until_seen(training: Training) -> None:
    """Wait for the results of a run that is finished: a shared folder may show them later here than where they were
    written. Raises `UserError` where they do not come."""
    end = time.monotonic() + DELAY
    while not training.is_finished():
        if time.monotonic() > end:
            raise UserError(f"{training.about}: finished, but {training.folder} does not show it here")
        time.sleep(0.2)
