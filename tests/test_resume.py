"""A training that is killed loses at most the running epoch, and resumed it ends with the same figures."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
from pathlib import Path

import numpy as np
import pytest

from common.training import loop, report
from common.training.runs import fingerprint
from tests.programs import (
    CHAPTER,
    CHAPTERS,
    TINY,
    Call,
    Killed,
    Refused,
    comparable,
    contents,
    leftovers,
    make_call,
    metrics_of,
    run_python,
    write_corpus,
    write_lines,
)
from tools.experiment.runs import Training

TRAIN = str(CHAPTERS / CHAPTER / "train.py")
KILLER = """
# Runs a program that kills itself, as `kill -9` would, with half of the checkpoint of its second epoch written.
import io, os, runpy, signal, sys
import numpy

sys.argv = sys.argv[1:]
savez, checkpoints = numpy.savez, []

def deadly_savez(file, **arrays):
    if ".checkpoint" in file.name:
        checkpoints.append(file.name)
    if len(checkpoints) == 2:
        whole = io.BytesIO()
        savez(whole, **arrays)
        file.write(whole.getvalue()[: whole.tell() // 2])
        file.flush()
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
    savez(file, **arrays)

numpy.savez = deadly_savez
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def history(run: Path) -> list[dict]:
    """The finished epochs, as the checkpoint knows them."""
    with np.load(run / "checkpoint.npz", allow_pickle=False) as archive:
        return json.loads(str(archive["about"]))["history"]


def epochs_logged(run: Path) -> list[int]:
    """The epochs that were finished and told, in the order in which they were."""
    return [int(number) for number in re.findall(r"^epoch +(\d+)", (run / "log.txt").read_text("utf-8"), re.M)]


def arrays_of(path: Path) -> list[np.ndarray]:
    with np.load(path, allow_pickle=False) as archive:
        return [archive[name] for name in archive.files if name != "about"]


def same_models(first: Path, second: Path) -> bool:
    pairs = zip(arrays_of(first / "model.npz"), arrays_of(second / "model.npz"), strict=True)
    return all(np.array_equal(left, right) for left, right in pairs)


def test_killed_while_a_checkpoint_is_written(corpus: Path, tmp_path: Path, call: Call) -> None:
    """The one before outlives the half-written one, and its epoch, seconds included, is not run again."""
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    flags = [*TINY, "--epochs", "4", "--score", "combined", "--corpus", str(corpus)]
    call("train", *flags, "--run-dir", whole)
    died = run_python("-c", KILLER, TRAIN, *flags, "--run-dir", str(killed))
    assert died.returncode == (-signal.SIGKILL if os.name == "posix" else signal.SIGTERM), died.stderr
    before = history(killed)
    assert len(before) == len(leftovers(killed)) == 1
    call("train", "--resume", "--run-dir", killed)
    assert history(killed)[:1] == before
    assert comparable(killed) == comparable(whole)
    assert same_models(killed, whole)
    assert epochs_logged(killed) == [1, 2, 3, 4]
    assert leftovers(killed) == []


def interrupt(monkeypatch: pytest.MonkeyPatch, point: int) -> None:
    """Let the training die in the `point`th batch from now on."""

    check_loss, batches = loop.check_loss, iter(range(point))

    def deadly_check(loss: float, epoch: int) -> float:
        if next(batches, None) is None:
            raise Killed
        return check_loss(loss, epoch)

    monkeypatch.setattr(loop, "check_loss", deadly_check)


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed, optimiser, rate, schedule",
    [(1, "adam", 0.02, "constant"), (2, "sgd", 0.5, "constant"), (3, "sgd", 0.5, "plateau")],
)
def test_many_random_points(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch, seed: int, optimiser: str, rate: float, schedule: str
) -> None:
    """The dev split is read backwards, so that more training does harm: patience, roll-back and a learning rate that
    follows dev survive the kills."""
    corpus = write_corpus(tmp_path / "farm")
    backwards = [" ".join(reversed(line.split())) for line in (corpus / "train.txt").read_text("utf-8").splitlines()]
    write_lines(corpus / "dev.txt", backwards)
    flags = [*TINY, "--corpus", corpus, "--optimiser", optimiser, "--learning-rate", rate, "--seed", seed]
    flags += ["--epochs", 20, "--patience", 3, "--schedule", schedule, "--decay", 0.8]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    call("train", *flags, "--run-dir", whole)
    rng, deaths = random.Random(seed), 0
    arguments = [*flags, "--run-dir", killed]
    while True:
        with monkeypatch.context() as patched:
            interrupt(patched, rng.randrange(20))  # an epoch has 10 batches
            try:
                call("train", *arguments)
                break
            except Killed:
                deaths += 1
                assert deaths < 50, "no epoch is ever finished"
                arguments = ["--resume", "--run-dir", killed]
    assert deaths >= 3
    assert comparable(killed) == comparable(whole)
    assert same_models(killed, whole)
    perplexities = [record["dev_perplexity"] for record in metrics_of(whole)["epochs"]]
    assert metrics_of(whole)["dev"]["perplexity"] == min(perplexities)
    assert len(perplexities) == perplexities.index(min(perplexities)) + 1 + 3 < 20
    rates = [record["learning_rate"] for record in metrics_of(whole)["epochs"]]
    fallen = [sum(perplexities[k] >= perplexities[k - 1] for k in range(1, done)) for done in range(len(rates))]
    assert rates == pytest.approx([rate * 0.8 ** (number * (schedule == "plateau")) for number in fallen])
    assert fallen[-1] > 0 or schedule != "plateau", "no reason for the rate to fall"


@pytest.fixture
def finished(trained: Path, tmp_path: Path) -> Path:
    """A copy of a finished run, to be changed, where the latest run is looked for."""
    return Path(shutil.copytree(trained, tmp_path / "runs" / CHAPTER / "001"))


def test_resuming_a_finished_run_reports_again(finished: Path, call: Call, capsys: pytest.CaptureFixture) -> None:
    before = metrics_of(finished)
    table = (finished / "log.txt").read_text("utf-8").split("\n\n")[1]
    call("train", "--resume")  # without --run-dir: the latest
    assert metrics_of(finished) == before, "no epoch was run, so even the seconds are the same"
    assert epochs_logged(finished) == [1, 2]
    assert table in capsys.readouterr().out


@pytest.mark.parametrize("resumed", [False, True])
def test_a_kill_while_the_picture_is_drawn(
    resumed: bool, finished: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run is not finished before its picture is, whoever looks; one that was finished before stays so."""
    run, before = finished if resumed else tmp_path / "other", contents(finished)["metrics.json"]
    training, call = Training("mine", CHAPTER, run, ()), make_call(monkeypatch, curve=True)
    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(report, "draw_history", die)
        call("train", *(["--resume"] if resumed else [*TINY, "--corpus", corpus]), "--run-dir", run)
    assert training.is_finished() == resumed and contents(finished)["metrics.json"] == before
    call("train", *training.command()[1:])
    assert training.is_finished() and comparable(run) == comparable(finished)
    assert (run / "learning_curve.png").exists() and "next: python" in (run / "log.txt").read_text("utf-8")


def die(*arguments: object) -> None:
    raise Killed


def test_what_a_kill_left_in_a_folder_inside_is_removed(finished: Path, call: Call) -> None:
    """A run that trains both directions of translation has its second corpus there."""
    (finished / "backward" / "corpus").mkdir(parents=True)
    (finished / "backward" / "corpus" / ".dev.align.7.part").write_text("0-0 1-", "utf-8")
    call("train", "--resume")
    assert leftovers(finished) == []


def test_flags_that_contradict_the_run(finished: Path, refused: Refused) -> None:
    before = contents(finished)
    for flag, value in (("epochs", 9), ("learning-rate", 0.5), ("score", "none"), ("seed", 2)):
        assert f"--{flag} {value}" in refused("train", "--resume", f"--{flag}", value)
    assert contents(finished) == before


def test_flags_that_are_newer_than_the_run(finished: Path, call: Call, refused: Refused) -> None:
    """Its config does not have them: it was trained with what is their default now, which may be given."""
    config = finished / "config.json"
    facts = json.loads(config.read_text("utf-8"))
    del facts["settings"]["average_epochs"]
    facts["fingerprints"]["settings"] = fingerprint(facts["settings"])
    config.write_text(json.dumps(facts), "utf-8")
    line = refused("train", "--resume", "--average-epochs", 2)
    assert "--average-epochs 2: this run began with 1; leave the flag out" in line
    call("train", "--resume", "--average-epochs", 1)
    assert epochs_logged(finished) == [1, 2]


def test_no_run_to_resume(tmp_path: Path, refused: Refused) -> None:
    assert "no run in" in refused("train", "--resume")
    assert list(tmp_path.iterdir()) == []
