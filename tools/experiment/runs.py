"""Systems trained with several seeds: where their runs are, and how those that are missing are trained.

A finished run is never trained again, and an interrupted run is resumed. A run may therefore be done twice, after its
worker has died: the second worker resumes it. For the same reason an error or Ctrl-C may end a training at any time.
"""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout
from tqdm import tqdm

from common import program_of
from common.endings import did_you_mean
from common.errors import UserError
from common.executor import TIMES, completed, is_given_up, last_line, open_executor, run, scheduler_argument, was_killed
from common.text.corpus import ROOT
from common.training.runs import LOCK, runs_root
from tools.metrics import WRITTEN_TO_THE_END

DELAY = 60
"""Seconds after which a file that another machine has written is visible here."""


class Training(NamedTuple):
    """A run, trained or not yet. flags: those of the chapter's train.py; about: its name in messages."""

    about: str
    chapter: str
    folder: Path
    flags: tuple[str, ...]

    def is_finished(self) -> bool:
        """Whether it was trained to its end, by whatever version of the code."""
        return (self.folder / WRITTEN_TO_THE_END).exists()

    def command(self) -> list[str]:
        """The arguments of `python` that train it, or resume it where it was begun."""
        program = [str(ROOT / program_of(self.chapter, "train")), "--run-dir", str(self.folder)]
        return [*program, *self.flags, *(["--resume"] if (self.folder / "config.json").exists() else [])]


@dataclass(frozen=True)
class System:
    """A kind of model: its chapter, its name in tables, and the flags that make it.

    label: what distinguishes it from other systems of its chapter in the names of run folders. ptb: its preset for the
    Penn Treebank.
    """

    chapter: str
    name: str
    flags: tuple[str, ...] = ()
    label: str = ""
    ptb: str = ""

    def folder(self, corpus: str, seed: int) -> Path:
        """The folder of its run with this seed. The corpus is a name or a folder, which counts by its own name."""
        parts = [Path(corpus).name, self.chapter, self.label, f"seed{seed}"]
        return ladder_folder() / "-".join(part for part in parts if part)

    def training(self, corpus: str, seed: int) -> Training:
        """Its run with this seed."""
        preset = ("--preset", self.ptb) if corpus == "ptb" else ()
        flags = ("--corpus", corpus, "--seed", str(seed), *self.flags, *preset)
        about = f"{self.chapter}, {self.name}, seed {seed}"
        return Training(about, self.chapter, self.folder(corpus, seed).absolute(), flags)


def ladder_folder() -> Path:
    """The folder of the runs of all systems."""
    return runs_root() / "ladder"


def select_systems(names: str, systems: Mapping[str, System]) -> list[System]:
    """The systems that --systems names, all for "", in the order of the report. Raises `UserError` for other names."""
    selected: Collection[str] = names.split(",") if names else systems
    if unknown := [name for name in selected if name not in systems]:
        there = f"there are {', '.join(systems)}{did_you_mean(unknown[0], systems)}"
        raise UserError(f"--systems: no system {unknown[0]!r:.40}; {there}")
    return [system for name, system in systems.items() if name in selected]


def make_trainings(systems: Sequence[System], corpus: str, seeds: Iterable[int]) -> list[Training]:
    """The runs of systems, one system after another."""
    return [system.training(corpus, seed) for system in systems for seed in seeds]


def finished_runs(systems: Sequence[System], corpus: str, seeds: Sequence[int]) -> dict[str, list[Path]]:
    """System -> its finished runs in the order of the seeds. Raises `UserError` where no run is finished."""
    runs: dict[str, list[Path]] = {}
    for system in systems:
        for training in make_trainings([system], corpus, seeds):
            if training.is_finished():
                runs.setdefault(system.name, []).append(training.folder)
    if not runs:
        raise UserError(f"no finished run on {corpus}; the first would be in {systems[0].folder(corpus, seeds[0])}")
    return runs


def add_run_arguments(parser: argparse.ArgumentParser, seeds: int) -> None:
    """Add the flags that every experiment has. seeds: the default of --seeds."""
    parser.add_argument("--seeds", type=int, default=seeds, metavar="N", help=f"runs per system (default: {seeds})")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="runs at a time (default: 2)")
    scheduler_argument(parser)
    parser.add_argument("--finished", action="store_true", help="do not train; report on the finished runs")
    parser.add_argument("--list", action="store_true", help="print the commands of the missing runs, and stop")


def train_missing(trainings: Sequence[Training], arguments: argparse.Namespace, shared: Path) -> bool:
    """Train what is missing, as the flags of `add_run_arguments` say. False where --list only prints the commands."""
    if arguments.list:
        for training in trainings:
            if not training.is_finished():
                words = (word.removeprefix(f"{ROOT}/") for word in training.command())
                print(shlex.join(["python", *words]))
        return False
    if not arguments.finished:
        train_all(trainings, arguments.jobs, arguments.scheduler, shared)
    return True


def train_all(trainings: Sequence[Training], jobs: int, scheduler: str, shared: Path) -> None:
    """Train what is not finished, `jobs` at a time here, or on the cluster of a scheduler. shared: holds all runs."""
    missing = [training for training in trainings if not training.is_finished()]
    with open_executor(jobs, scheduler, shared) as pool:
        futures = {pool.submit(train, training): training for training in missing}
        for training, _ in tqdm(completed(futures), total=len(futures), desc="training", unit="run", disable=None):
            wait_until_seen(training)
            tqdm.write(f"{training.about}: done")


def train(training: Training) -> None:
    """Train or resume in a process of its own with one thread. Raises `UserError` where that fails."""
    wait_until_free(training.folder)
    for _ in range(TIMES):
        if training.is_finished():
            return
        process = run(training.command())
        if not was_killed(process):
            break
    if process.returncode != 0:
        raise UserError(f"{training.about}: {last_line(process)}")


def wait_until_free(folder: Path) -> None:
    """Wait until no program writes this run: the process of a worker that was given up may do so for a while."""
    with suppress(OSError, NotImplementedError):  # where a folder cannot be locked, train.py reports it
        folder.mkdir(parents=True, exist_ok=True)
        while not is_given_up():
            with suppress(Timeout), FileLock(folder / LOCK, timeout=0.5):
                return


def wait_until_seen(training: Training) -> None:
    """Wait for the results of a finished run: a shared folder may show them here later than where they were written.

    Raises `UserError` where they do not appear.
    """
    end = time.monotonic() + DELAY
    while not training.is_finished():
        if time.monotonic() > end:
            raise UserError(f"{training.about}: finished, but its results are not visible here: {training.folder}")
        time.sleep(0.2)
