"""A run folder that is moved, deleted or replaced while its training goes on: the training stops and says so."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from common.files import run_locks, write_json
from common.training.loop import EpochRecord, Training
from tests.programs import TINY, Call, Refused, contents, write_lines

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows moves no folder with an open file")


def delete(run: Path) -> None:
    shutil.rmtree(run)


def move(run: Path) -> None:
    run.rename(run.with_name("moved"))


def replace(run: Path) -> None:
    """Another training has begun in a folder of this name."""
    move(run)
    run.mkdir()
    write_lines(run / ".lock", [])
    write_lines(run / "config.json", ["{}"])


@pytest.mark.parametrize("change", [delete, move, replace])
def test_nothing_more_is_written(
    corpus: Path,
    tmp_path: Path,
    refused: Refused,
    call: Call,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], None],
) -> None:
    run, moved = tmp_path / "run", tmp_path / "moved"
    finish = Training.finish_epoch

    def finish_after_the_change(self: Training, record: EpochRecord) -> bool:
        if record.epoch == 2:
            change(run)
        return finish(self, record)

    flags = [*TINY, "--corpus", corpus, "--run-dir"]
    with monkeypatch.context() as patched:
        patched.setattr(Training, "finish_epoch", finish_after_the_change)
        line = refused("train", *flags, run)
    assert f"{run}: the folder of this run was moved or deleted, so training stops" in line
    if change is replace:
        assert contents(run) == {".lock": b"", "config.json": b"{}\n"}
    else:
        assert not run.exists()
    if change is not delete:
        call("train", *flags, moved, "--resume")
        assert (moved / "metrics.json").exists()


def test_files_elsewhere_are_written_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a run beside the one whose folder has gone, or of none."""
    gone, about = tmp_path / "gone" / ".lock", os.stat(tmp_path)
    monkeypatch.setitem(run_locks, gone, about)
    write_json(tmp_path / "gone too" / "facts.json", {})
    assert (tmp_path / "gone too" / "facts.json").exists()
