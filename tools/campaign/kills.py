"""Trainings that are killed and resumed, with one and the same command, must end as one that was left alone."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import matplotlib.pyplot  # noqa: F401 - large libraries that every child shares
import numpy as np
import sacrebleu  # noqa: F401

from common.errors import INTERRUPTED

from .cases import COUNTED, wanted
from .field import TRAININGS, make_field, train
from .forks import Child, Fault, Outcome

ENDINGS = {signal.SIGKILL: -signal.SIGKILL, signal.SIGTERM: -signal.SIGTERM, signal.SIGINT: INTERRUPTED}
"""The exit status of a program that a signal has ended."""
SIGNALS = (signal.SIGKILL,) * 4 + (signal.SIGTERM, signal.SIGINT)
MOST_KILLS = 4
NOTICE = "learning a dictionary"
"""Begins what a training says on standard error before it is interrupted."""
DIFFERENT = {"seconds", "tokens_per_second", "run_dir", "fingerprints"}
"""What differs between two runs with one seed in two folders. Of a run that trains both directions, the second has its
corpus in its own folder, and the name of that is in a fingerprint."""


class Kills:
    """Each case kills a run one to `MOST_KILLS` times."""

    name = "kills"
    seconds = 180.0

    def __init__(self, only: str = ""):
        self.names = wanted(TRAININGS, only)

    def prepare(self, scratch: Path) -> None:
        """Train every run once, undisturbed."""
        make_field(scratch / "field", self.names)

    def case(self, rng: random.Random, folder: Path) -> tuple[str, Callable[[], object], bytes]:
        name, moments = rng.choice(self.names), [draw_moment(rng) for _ in range(rng.randint(1, MOST_KILLS))]
        whole = Path("runs", name).resolve()

        def work() -> None:
            kill_and_resume(name, folder / "run", moments, folder)
            compare(whole, folder / "run")

        about = ", ".join(
            f"{number.name} at change {change} + {1000 * wait:.0f} ms" for number, change, wait in moments
        )
        return f"{name}: {about}", work, b""


Moment = tuple[signal.Signals, int, float]
"""Which signal, before how many changes of the files in the run's folder, and how many seconds after that."""
CHANGES = ("os.rename", "os.remove", "os.mkdir")
"""What Python tells of before it is done (`sys.addaudithook`), beside opening a file to write to it."""


def draw_moment(rng: random.Random) -> Moment:
    """Half of the moments are those of a change of a file: there a half-written file would be seen."""
    return rng.choice(SIGNALS), rng.randint(1, 60), 0.0 if rng.random() < 0.5 else rng.uniform(0, 0.3)


def kill_and_resume(name: str, run: Path, moments: list[Moment], folder: Path) -> None:
    """Start the training, end it at each of the moments, then let it come to its end."""
    for number, moment in enumerate(moments):

        def work(moment: Moment = moment) -> None:
            strike(run, *moment)
            train(name, run, "--resume")()

        outcome = Child(work, folder / f"part-{number}").wait()
        print(COUNTED, moment[0].name if outcome.status == ENDINGS[moment[0]] else "too late")
        check_end(outcome, moment[0])
    last = Child(train(name, run, "--resume"), folder / "last").wait()
    if last.status or last.timed_out:
        raise Fault(f"lost: the run cannot be resumed: {last_line(last)}")


def strike(run: Path, number: signal.Signals, changes: int, wait: float) -> None:
    """Let this process get a signal when it is about to change the files of its run for the last of so many times."""
    seen = 0

    def look(event: str, arguments: tuple) -> None:
        nonlocal seen
        opens = event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if (opens or event in CHANGES) and str(run) in str(arguments[0]):
            seen += 1
            if seen == changes and wait:
                threading.Timer(wait, os.kill, (os.getpid(), number)).start()
            elif seen == changes:
                os.kill(os.getpid(), number)

    sys.addaudithook(look)


def check_end(outcome: Outcome, number: signal.Signals) -> None:
    """Raises `Fault` where a training did not end as the signal demands; it may have ended of itself before."""
    if outcome.timed_out:
        raise Fault(f"hang: {number.name} does not end it")
    if outcome.status not in (0, ENDINGS[number]):
        raise Fault(f"status: {outcome.status} after {number.name}: {last_line(outcome)}")
    messages = [line for line in outcome.err.splitlines() if line and not line.startswith(NOTICE)]
    if outcome.status == INTERRUPTED and messages != ["interrupted"]:
        raise Fault(f"lines: {outcome.err.strip().splitlines()[-3:]} after {number.name}")


def last_line(outcome: Outcome) -> str:
    return (outcome.err.strip().splitlines() or [""])[-1]


def compare(whole: Path, killed: Path) -> None:
    """Raises `Fault` for what a killed run has lost, left behind, or made differently than one that was not killed."""
    if half := sorted(path.name for path in killed.rglob("*.part")):
        raise Fault(f"half-written: {half} stayed behind")
    names = [{str(path.relative_to(run)) for path in run.rglob("*") if path.is_file()} for run in (whole, killed)]
    if names[0] != names[1]:
        raise Fault(f"lost: {sorted(names[0] - names[1])} missing, {sorted(names[1] - names[0])} too many")
    for name in sorted(names[0]):
        if Path(name).name not in ("log.txt", ".lock") and contents(whole, name) != contents(killed, name):
            raise Fault(f"lost: {name} differs from that of a run that was not killed")
    if (whole / "vocab.txt").exists():  # chapter 3, which has none, keeps only every so many epochs
        check_log(killed / "log.txt")


def contents(run: Path, name: str) -> object:
    """What is in a file of a run, but for what the clock and the folder's name have said."""
    path = run / name
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        about = comparable(json.loads(str(arrays.pop("about")))) if "about" in arrays else None
        return about, {name: (array.dtype.str, array.shape, array.tobytes()) for name, array in arrays.items()}
    if path.suffix == ".json":
        return comparable(json.loads(path.read_text(encoding="utf-8").replace(str(run), "RUN")))
    return path.read_bytes()


def comparable(value: object) -> object:
    """JSON without what may differ."""
    if isinstance(value, dict):
        return {name: comparable(value[name]) for name in value.keys() - DIFFERENT}
    return [comparable(element) for element in value] if isinstance(value, list) else value


def check_log(path: Path) -> None:
    """Raises `Fault` where an epoch is told after a later one: it was trained twice."""
    lines = path.read_text(encoding="utf-8").splitlines()
    epochs = [int(line.split()[1]) for line in lines if line.startswith("epoch ")]
    if epochs != sorted(set(epochs)):
        raise Fault(f"lost: the log tells of epochs {epochs}")
