"""Run folders: one writer at a time, one command for a job, and nothing goes on with other data or settings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from common import memory
from common.training import runs
from common.training.runs import lock_run
from tests.pairs import write_pairs
from tests.programs import (
    ROOT,
    TINY,
    Call,
    Killed,
    Refused,
    call_and_kill,
    comparable,
    contents,
    copy_run,
    make_call,
    make_refused,
    metrics_of,
)

HOLD = """
import sys
from pathlib import Path
from common.training.runs import lock_run
lock_run(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def run(trained: Path, tmp_path: Path) -> Path:
    """A copy of a finished run, to be changed, and of its corpus beside it."""
    return copy_run(trained, tmp_path)[0]


def test_two_writers(run: Path, call: Call, refused: Refused) -> None:
    """The second is refused at once, new or resumed, and changes nothing; a killed one holds nothing back."""
    before = contents(run)
    while runs._held:  # as at the end of the process
        runs._held.pop().release()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "cwd": ROOT}
    other = subprocess.Popen([sys.executable, "-c", HOLD, str(run)], **pipes)
    try:
        assert other.stdout.readline().strip() == b"held"
        line = refused("train", "--resume", "--run-dir", run)
        assert str(run) in line and "another program is writing this run" in line
        assert contents(run) == before
    finally:
        other.kill()
        other.communicate()
    call("train", "--resume", "--run-dir", run)
    assert (run / "metrics.json").exists()


def test_a_process_writes_one_run(tmp_path: Path) -> None:
    for name in ("one", "two", "one"):
        lock_run(tmp_path / name)
        assert len(runs._held) == 1 and runs._held[0].is_locked


def test_a_run_begun_meanwhile_is_not_overwritten(
    refused: Refused, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two programs chose one folder; the first has ended when the second gets the lock."""
    run = tmp_path / "run"

    def another_was_faster(folder: Path) -> None:
        folder.mkdir()
        (folder / "config.json").write_text("{}")

    monkeypatch.setattr("common.training.setup.lock_run", another_was_faster)
    assert "already contains a run" in refused("train", *TINY, "--corpus", corpus, "--run-dir", run)
    assert (run / "config.json").read_text() == "{}"


def test_a_run_that_goes_on_has_the_memory_it_began_with(
    call: Call, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    call_and_kill(call, monkeypatch, *TINY, "--corpus", corpus, "--memory", "700MB", "--run-dir", run)
    assert memory.limit() == 700 * 1024**2
    memory.set_limit(0)
    call("train", "--resume", "--run-dir", run)
    assert memory.limit() == 700 * 1024**2


def test_one_command_begins_and_continues(
    call: Call, corpus: Path, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, flags = tmp_path / "job", [*TINY, "--corpus", corpus, "--unk", "auto"]

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr("chapters.attentive_lm.train.finish_training", die)
        call("train", *flags, "--run-dir", job, "--resume")
    assert json.loads((job / "config.json").read_text("utf-8"))["settings"]["resume"] is False
    call("train", *flags, "--run-dir", job, "--resume")
    assert comparable(job) == comparable(trained)
    seconds = [record["seconds"] for record in metrics_of(job)["epochs"]]
    call("train", *flags, "--run-dir", job, "--resume")
    assert [record["seconds"] for record in metrics_of(job)["epochs"]] == seconds, "no epoch was run again"


def test_a_run_that_lost_its_config_is_not_begun_anew(run: Path, corpus: Path, refused: Refused) -> None:
    (run / "config.json").unlink()
    before = contents(run)
    assert "config.json is missing" in refused("train", *TINY, "--corpus", corpus, "--run-dir", run, "--resume")
    assert "already contains a run" in refused("train", *TINY, "--corpus", corpus, "--run-dir", run)
    assert contents(run) == before


@pytest.mark.parametrize("split", ["train", "dev", "test"])
@pytest.mark.parametrize("change", ["order", "fewer"])
def test_a_text_that_has_changed_with_the_same_words(run: Path, refused: Refused, split: str, change: str) -> None:
    path = run.with_name("farm") / f"{split}.txt"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[::-1] if change == "order" else [*lines[1:], lines[0], lines[0]]), "utf-8")
    before = contents(run)
    assert "not the corpus that this run began with" in refused("train", "--resume", "--run-dir", run)
    assert contents(run) == before


@pytest.mark.parametrize("name", ["train.source", "dev.target", "test.align"])
def test_pairs_that_have_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, name: str
) -> None:
    call = make_call(monkeypatch, "08_attention")
    corpus, run = write_pairs(tmp_path / "pairs"), tmp_path / "run"
    for split in ("train", "dev", "test"):
        count = len((corpus / f"{split}.source").read_text("utf-8").splitlines())
        (corpus / f"{split}.align").write_text("0-0\n" * count, "utf-8")
    call("train", *TINY, "--corpus", corpus, "--epochs", 1, "--run-dir", run)
    lines = (corpus / name).read_text("utf-8").splitlines(keepends=True)
    changed = ["\n", *lines[1:]] if name.endswith("align") else [lines[1], lines[0], *lines[2:]]
    (corpus / name).write_text("".join(changed), "utf-8")
    line = make_refused(call, capsys)("train", "--resume", "--run-dir", run)
    assert "not the corpus that this run began with" in line


def test_settings_that_have_changed(run: Path, refused: Refused) -> None:
    config = run / "config.json"
    text = config.read_text("utf-8")
    config.write_text(text.replace('"batch_size": 8', '"batch_size": 9'), "utf-8")
    line = refused("train", "--resume", "--run-dir", run)
    assert str(config) in line and "not those that the run began with" in line
    facts = json.loads(text)
    del facts["fingerprints"]
    config.write_text(json.dumps(facts), "utf-8")
    assert "earlier version" in refused("train", "--resume", "--run-dir", run)


def test_features_that_are_lost_are_not_made_again(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """Chapter 2: a run with a checkpoint was trained on the features that it kept."""
    call, run = make_call(monkeypatch, "02_loglinear_lm"), tmp_path / "run"
    call("train", "--corpus", corpus, "--epochs", 1, "--features", "word1", "--run-dir", run)
    (run / "features.npz").unlink()
    line = make_refused(call, capsys)("train", "--resume", "--run-dir", run)
    assert str(run / "features.npz") in line and not (run / "features.npz").exists()


@pytest.mark.parametrize("point", ["classes", "features", "between"])
def test_killed_while_features_are_prepared(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    """Chapter 2: whatever was written, the resumed run has what an uninterrupted one has."""
    call, whole, run = make_call(monkeypatch, "02_loglinear_lm"), tmp_path / "whole", tmp_path / "run"
    flags = ["--corpus", corpus, "--epochs", 1, "--features", "word1,class1", "--classes", 3]
    call("train", *flags, "--run-dir", whole)
    replace = os.replace

    def die_at(source: Path, target: Path) -> None:
        """Before a file has its name; "between": right after the first one has it."""
        name = Path(target).name
        if name.startswith(point):
            raise Killed
        replace(source, target)
        if point == "between" and name in ("classes.txt", "features.npz"):
            raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(os, "replace", die_at)
        call("train", *flags, "--run-dir", run)
    call("train", "--resume", "--run-dir", run)
    assert (run / "classes.txt").read_bytes() == (whole / "classes.txt").read_bytes()
    assert comparable(run) == comparable(whole)
