"""Pieces of work: the same here and on a cluster, done again where a process dies, refused in one line."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from filelock import FileLock

from common import executor
from common.endings import restore_sigint
from common.errors import UserError
from common.executor import ROOT, completed, here, on_worker, open_executor, run, run_again
from common.saved_arrays import read_arrays
from common.training.runs import LOCK
from tests.clusters import Processes
from tests.programs import comparable, start, state_of, write_corpus, write_lines
from tools.experiment.runs import Training, train, train_all, wait_until_free, wait_until_seen

LONG = ("--hidden-size", "8", "--epochs", "40", "--patience", "40", "--batch-size", "8")
"""A training of some seconds."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory):
    """A scheduler and two workers."""
    pytest.importorskip("distributed")
    processes = Processes(tmp_path_factory.mktemp("cluster"))
    try:
        processes.add("one")
        processes.add("other")
        yield processes
    finally:
        processes.close()


def training_of(folder: Path, corpus: Path) -> Training:
    return Training("mine", "06_attentive_lm", folder / "run", ("--corpus", str(corpus), *LONG))


@pytest.mark.needs("loopback", "time")
@pytest.mark.slow
def test_a_worker_is_killed_and_its_run_goes_on_elsewhere(cluster: Processes, tmp_path: Path) -> None:
    """Whatever the killed worker had started dies with it, and the results are those of this machine alone."""
    psutil = pytest.importorskip("psutil")
    corpus = write_corpus(tmp_path / "farm")
    alone, shared = training_of(tmp_path / "alone", corpus), training_of(tmp_path / "shared", corpus)
    with open_executor(1, cluster.address, tmp_path / "shared") as pool:
        future = pool.submit(train, shared)
        child = wait_for(lambda: child_of(psutil, cluster, shared))
        wait_for((shared.folder / "checkpoint.npz").exists)
        assert not shared.is_finished(), "too late to kill it"
        victim = next(process for process in cluster.workers.values() if process.pid == child.ppid())
        victim.kill()
        victim.wait()
        wait_for(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)
        assert not shared.is_finished(), "the training has outlived its worker"
        assert list(completed({future: "mine"})) == [("mine", None)]
    train_all([alone], 1, "", tmp_path / "alone")
    assert without_folder(alone.folder) == without_folder(shared.folder)
    ours, theirs = (read_arrays(training.folder / "model.npz") for training in (alone, shared))
    assert ours.keys() == theirs.keys()
    assert all(np.array_equal(ours[name], theirs[name]) for name in ours if name != "about")


def without_folder(run: Path) -> dict:
    """metrics.json without times and the name of the folder."""
    metrics = comparable(run)
    metrics["settings"].pop("run_dir", None)
    return metrics


def child_of(psutil: object, cluster: Processes, training: Training) -> object | None:
    """The process that trains, where a worker has started it."""
    for worker in cluster.workers.values():
        if worker.poll() is None:
            for child in psutil.Process(worker.pid).children():
                with suppress(psutil.NoSuchProcess):  # it has ended meanwhile, or is a zombie
                    if str(training.folder) in child.cmdline():
                        return child
    return None


def wait_for(condition) -> object:
    end = time.monotonic() + 120
    while not (value := condition()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return value


@pytest.mark.needs("loopback")
@pytest.mark.slow
def test_what_goes_wrong_on_a_cluster_is_one_line(cluster: Processes, tmp_path: Path) -> None:
    with open_executor(1, cluster.address, tmp_path / "runs") as pool:
        with pytest.raises(UserError, match="/nowhere/at/all: not visible on .*share"):
            list(completed({pool.submit(run, ["-c", ""], ["/nowhere/at/all"]): 1}))
        with pytest.raises(UserError, match="mine: .*no corpus"):
            list(completed({pool.submit(train, training_of(tmp_path / "runs", tmp_path / "none")): 1}))
        (tmp_path / "runs" / ".shared").write_text("of another machine\n", "utf-8")
        with pytest.raises(UserError, match="runs is not the same folder on"):
            list(completed({pool.submit(run, ["-c", ""]): 1}))


def test_a_place_that_a_worker_does_not_have(tmp_path: Path) -> None:
    place = here(tmp_path)
    assert on_worker(place, len, ("four",)) == 4
    with pytest.raises(UserError, match=f"runs the course in {ROOT}, not in /elsewhere; start it there"):
        on_worker(place._replace(root=Path("/elsewhere")), len, ("four",))
    for name in ("folder", "shared"):
        with pytest.raises(UserError, match=f"cannot find {tmp_path / 'gone'}; .*share"):
            on_worker(place._replace(**{name: tmp_path / "gone"}), len, ("four",))


def test_a_piece_of_work_finds_what_its_program_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder, and where runs and corpora are, also where the worker has other ones."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COURSE_RUNS", "ours")
    monkeypatch.delenv("COURSE_DATA", raising=False)
    place = here()
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COURSE_RUNS", "theirs")
    monkeypatch.setenv("COURSE_DATA", "theirs")
    code = "import os; print(os.getcwd(), os.environ['COURSE_RUNS'], os.environ.get('COURSE_DATA'), sep='\\n')"
    done = on_worker(place, run, (["-c", code],))
    assert done.stdout.splitlines() == [str(tmp_path), "ours", "None"]
    assert run(["-c", code]).stdout.splitlines() == [str(ROOT), "theirs", "theirs"]


@pytest.mark.needs("proc", "time")
@pytest.mark.skipif(sys.platform != "linux", reason="the system does it on Linux only")
def test_what_a_killed_process_has_started_ends_with_it(tmp_path: Path) -> None:
    code = "import os, sys, time; open(sys.argv[1], 'w').write(f'{os.getpid()}.'); time.sleep(600)"
    outer = f"from common.executor import run; run(['-c', {code!r}, {str(tmp_path / 'pid')!r}])"
    process = subprocess.Popen([sys.executable, "-c", outer], cwd=ROOT)
    wait_for(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().endswith("."))
    process.kill()
    process.wait()
    pid = int((tmp_path / "pid").read_text().strip("."))
    wait_for(lambda: state_of(pid) in ("", "Z"))


WORK = "import os, sys, time; open(sys.argv[1], 'a').write(f'{os.getpid()}.'); time.sleep(600)"
"""A piece of work of ten minutes, which leaves its number."""
PROGRAM = """
import sys, time
from pathlib import Path
import tools.experiment.runs
from common.errors import UserError, exits_cleanly
from common.executor import completed, open_executor, run

work, path, fails = sys.argv[1:]

def fail():
    while not (Path(path).exists() and Path(path).read_text().endswith(".")):
        time.sleep(0.01)
    raise UserError("it cannot be done")

@exits_cleanly
def main():
    with open_executor(2) as pool:
        futures = [pool.submit(run, ["-c", work, path]), *([pool.submit(fail)] if fails else [])]
        list(completed(dict.fromkeys(futures)))

main()
"""


@pytest.mark.needs("time")
@pytest.mark.parametrize("fails, status, message", [("yes", 2, "error: it cannot be done"), ("", 130, "interrupted")])
@pytest.mark.skipif(os.name != "posix", reason="sends Ctrl-C to one process alone")
def test_a_program_ends_with_its_work(fails: str, status: int, message: str, tmp_path: Path) -> None:
    """At once and in one line, after an error and after Ctrl-C, though a piece of work would go on for ten."""
    path = tmp_path / "pid"
    process = start(["-c", PROGRAM, WORK, str(path), fails], preexec_fn=restore_sigint)
    wait_for(lambda: path.exists() and path.read_text().endswith("."))
    if not fails:
        process.send_signal(signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=120)
    finally:
        process.kill()
    assert (process.returncode, errors.strip()) == (status, message)


@pytest.mark.needs("time")
def test_work_that_is_given_up_ends(tmp_path: Path) -> None:
    """Its process, also where it would be started again; what has not begun never begins."""
    path = tmp_path / "pid"
    with pytest.raises(UserError, match="enough"), open_executor(1) as pool:
        running, waiting = (pool.submit(run_again, ["-c", WORK, str(path)]) for _ in range(2))
        wait_for(lambda: path.exists() and path.read_text().endswith("."))
        raise UserError("enough")
    assert waiting.cancelled()
    with pytest.raises(CancelledError):
        running.result(timeout=120)
    assert path.read_text().count(".") == 1, "it was started again"
    assert run(["-c", "print('ours')"]).stdout == "ours\n", "other work goes on"


@pytest.mark.needs("time")
def test_work_that_is_given_up_waits_for_no_other_program(tmp_path: Path) -> None:
    with FileLock(tmp_path / LOCK):
        with pytest.raises(UserError, match="enough"), open_executor(1) as pool:
            future = pool.submit(wait_until_free, tmp_path)
            wait_for(future.running)
            raise UserError("enough")
        assert future.result(timeout=120) is None


class Dying:
    """Stands for the processes that train: killed so many times by a signal, after they have begun their run."""

    def __init__(self, times: int, number: int):
        self.times, self.number, self.commands = times, number, []

    def __call__(self, command: list[str], **options: object) -> SimpleNamespace:
        self.commands.append(command)
        folder = Path(command[command.index("--run-dir") + 1])
        write_lines(folder / "config.json", ["{}"])
        if len(self.commands) <= self.times:
            return SimpleNamespace(returncode=-self.number, stderr="")
        write_lines(folder / "metrics.json", ["{}"])
        return SimpleNamespace(returncode=0, stderr="")


@pytest.mark.parametrize("times, number, starts, ends_well", [(2, 9, 3, True), (9, 9, 3, False), (9, 2, 1, False)])
def test_a_process_that_is_killed_is_started_again_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int, number: int, starts: int, ends_well: bool
) -> None:
    """Three times at most, and not after Ctrl-C."""
    processes = Dying(times, signal.Signals(number))
    monkeypatch.setattr(executor.Children, "run", staticmethod(processes))
    training = Training("mine", "06_attentive_lm", tmp_path / "run", ("--epochs", "3"))
    if ends_well:
        train_all([training], 1, "", tmp_path)
    else:
        with pytest.raises(UserError, match="mine: killed"):
            train_all([training], 1, "", tmp_path)
    assert len(processes.commands) == starts
    assert ["--resume" in command for command in processes.commands] == [False, True, True][:starts]
    assert training.is_finished() == ends_well


def test_results_that_never_come_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.experiment.runs.DELAY", 0.3)
    with pytest.raises(UserError, match="mine: finished, but its results are not visible here: .*run"):
        wait_until_seen(Training("mine", "06_attentive_lm", tmp_path / "run", ()))


@pytest.mark.parametrize("address", ["nonsense", "http://localhost:80", "tcp://127.0.0.1:1"])
def test_a_wrong_address_is_one_line(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor will a part of Dask add one of its own, such as tornado, which tells of a callback that failed."""
    pytest.importorskip("distributed")
    for name in ("distributed.client", "tornado.application"):
        monkeypatch.setattr(logging.getLogger(name), "level", logging.ERROR)  # as Dask sets them
    monkeypatch.setattr(executor, "PATIENCE", 0.5)
    with pytest.raises(UserError, match=f"--scheduler {address}: no Dask scheduler answers there"):
        with open_executor(1, address):
            pass
    parts = [name for name in logging.root.manager.loggerDict if name.startswith(("distributed", "tornado"))]
    assert parts and not any(logging.getLogger(name).isEnabledFor(logging.ERROR) for name in parts)


def test_a_missing_package_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UserError, match=r'needs the package distributed: pip install -e "\.\[cluster\]"'):
        with open_executor(1, "tcp://127.0.0.1:8786"):
            pass


def test_nothing_of_a_cluster_is_loaded_without_one() -> None:
    code = "import sys, common.executor; sys.exit('distributed' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, env={**os.environ}).returncode == 0
