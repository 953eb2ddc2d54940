"""A training that is killed loses at most the running epoch, and resumed it ends with the same figures."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from common.nn.parameters import DynetParameters
from common.training import checkpoint, loop, report
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
# Runs a program that kills itself, as `kill -9` would, at one point: in batch B of epoch E, or with half of the
# checkpoint of epoch E written. Epochs are counted from the start of this process.
import io, os, runpy, signal, sys
import numpy, tqdm

kind, epoch, batch = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
sys.argv = sys.argv[4:]
epochs_begun, savez = 0, numpy.savez

def die():
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

class DeadlyProgress(tqdm.tqdm):
    def __iter__(self):
        global epochs_begun
        epochs_begun += 1
        for number, item in enumerate(super().__iter__()):
            if (kind, epoch, batch) == ("batch", epochs_begun, number):
                die()
            yield item

def deadly_savez(file, **arrays):
    if kind == "write" and epoch == epochs_begun and "checkpoint" in file.name:
        whole = io.BytesIO()
        savez(whole, **arrays)
        file.write(whole.getvalue()[: whole.tell() // 2])
        file.flush()
        die()
    savez(file, **arrays)

tqdm.tqdm, numpy.savez = DeadlyProgress, deadly_savez
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


@pytest.mark.slow
@pytest.mark.parametrize("optimiser, rate, score, seed", [("adam", 0.02, "single", 1), ("sgd", 0.5, "combined", 2)])
def test_killed_three_times_and_resumed_gives_the_same_figures(
    corpus: Path, tmp_path: Path, call: Call, optimiser: str, rate: float, score: str, seed: int
) -> None:
    flags = [*TINY, "--epochs", "4", "--optimiser", optimiser, "--learning-rate", str(rate), "--score", score]
    flags += ["--corpus", str(corpus), "--seed", str(seed)]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    call("train", *flags, "--run-dir", whole)

    rng = random.Random(seed)
    first = ["batch", "1", str(rng.randrange(10))]
    writing = ["write", "2", "0"]
    later = ["batch", "2", str(rng.randrange(10))]  # epoch 2 again, and into epoch 3

    def kill(point: list[str], *arguments: str) -> None:
        died = run_python("-c", KILLER, *point, TRAIN, *arguments)
        assert died.returncode == (-signal.SIGKILL if os.name == "posix" else signal.SIGTERM), died.stderr

    kill(first, *flags, "--run-dir", str(killed))
    assert not (killed / "checkpoint.npz").exists()
    kill(writing, "--resume", "--run-dir", str(killed))
    assert len(history(killed)) == 1, "the checkpoint of the first epoch has to outlive the half-written second one"
    assert len(leftovers(killed)) == 1
    before = history(killed)
    kill(later, "--resume", "--run-dir", str(killed))
    assert history(killed)[:1] == before, "a finished epoch, its seconds included, is not run again"
    assert len(history(killed)) == 2
    call("train", "--resume", "--run-dir", killed)

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


def test_a_checkpoint_that_cannot_be_written_leaves_the_one_before(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dynet

    collection = dynet.ParameterCollection()
    collection.add_parameters((3, 4))
    path, before = finished / "checkpoint.npz", (finished / "checkpoint.npz").read_bytes()

    def fail_half_way(file, **arrays) -> None:
        file.write(b"PK\x03\x04 half a file")
        raise KeyboardInterrupt

    monkeypatch.setattr(checkpoint.np, "savez", fail_half_way)
    with pytest.raises(KeyboardInterrupt):
        checkpoint.save_parameters(path, DynetParameters(SimpleNamespace(collection=collection)), {"model": "any"})
    assert path.read_bytes() == before
    assert leftovers(finished) == []


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


def test_flags_that_repeat_the_run_are_welcome(finished: Path, corpus: Path, call: Call) -> None:
    call("train", "--resume", "--run-dir", finished, *TINY, "--corpus", corpus)
    assert epochs_logged(finished) == [1, 2]


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


def test_a_damaged_checkpoint_is_noticed(finished: Path, refused: Refused) -> None:
    """Cut short somewhere, or one bit of a parameter changed."""
    path = finished / "checkpoint.npz"
    whole = path.read_bytes()
    changed = bytearray(whole)
    changed[changed.index(b"array/0/embedding") + 200] ^= 1
    for data in (whole[:0], whole[:3], whole[:100], whole[: len(whole) // 2], whole[:-1], bytes(changed)):
        path.write_bytes(data)
        assert "checkpoint.npz: cut short" in refused("train", "--resume", "--run-dir", finished)
