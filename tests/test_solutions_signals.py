"""A grading that is ended by Ctrl-C or a signal leaves neither folders nor processes behind, and keeps its rows."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from common import errors
from solutions.grading import marking, scratch
from solutions.grading.marking import Marking
from solutions.grading.process import Server
from solutions.grading.stage import Stage
from solutions.sets import GRADERS, ROOT, choose
from tests.programs import restore_signals
from tests.submissions import ANSWERS, chapter_one, with_code, write_submission

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")
ENDING = ["SIGINT", *errors.ENDING]
EARLY = [("preparing", "SIGINT"), ("preparing", "SIGTERM"), ("pytest", "SIGINT")]


@pytest.mark.needs("time")
@pytest.mark.slow
@pytest.mark.parametrize(("moment", "name"), [*EARLY, *(("first row", name) for name in ENDING)])
def test_nothing_is_left(tmp_path: Path, moment: str, name: str) -> None:
    scratch, table = tmp_path / "scratch", tmp_path / "grades.csv"
    scratch.mkdir()
    write_submission(tmp_path / "class" / "a", ANSWERS["perplexity"])
    for student in "bc":
        write_submission(tmp_path / "class" / student, with_code("while True: pass"))
    students = sorted(map(str, (tmp_path / "class").iterdir()))
    command = ["solutions", "grade", *students, "--only", "1.5", "--jobs", "2", "--csv", str(table), "--limit", "60"]
    if moment == "pytest":
        graders = "solutions/ch01_ngram_lm/test_perplexity.py"
        command = ["pytest", "-q", "-p", "no:cacheprovider", graders, "--submission", students[1]]
    options = {"cwd": ROOT, "env": {**os.environ, "TMPDIR": str(scratch)}, "preexec_fn": restore_signals}
    options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-m", *command], **options) as running:
        if moment == "first row":
            assert "a: 3 of 3 points" in running.stdout.readline()
            assert len(list(scratch.iterdir())) == 4
        else:
            while len(list(scratch.glob("*-*"))) < (1 if moment == "pytest" else 3):
                assert running.poll() is None
        running.send_signal(getattr(signal, name))
        _, errors = running.communicate(timeout=60)
    ended = 130 if name == "SIGINT" else -getattr(signal, name)
    assert running.returncode == (2 if moment == "pytest" else ended) and list(scratch.iterdir()) == []
    rows = table.with_name("grades.csv.part")
    if moment == "first row":
        assert f"interrupted; the rows so far are in {rows}; --resume continues" in errors
        assert rows.read_text("utf-8").count("\n") == 2


@pytest.mark.needs("time")
def test_what_cannot_begin_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    servers = []

    def broken(*arguments: object, **options: object) -> None:
        servers.extend(tmp_path.iterdir())
        raise RuntimeError("no memory")

    monkeypatch.setattr(marking, "Exams", broken)
    with pytest.raises(RuntimeError, match="no memory"):
        Marking(choose([chapter_one()], "1.5"), limit=10, memory=4, isolated=False)
    assert len(servers) == 3 and list(tmp_path.iterdir()) == []


def test_ctrl_c_while_a_folder_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    written = Path.write_bytes

    def write(path: Path, data: bytes) -> None:
        written(path, data)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Path, "write_bytes", write)
        Stage([chapter_one()], GRADERS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.needs("time")
def test_a_second_signal_does_not_interrupt_the_tidying_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes while the first folder is being removed. Seconds later a signal is obeyed again."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(scratch, "folders", {})
    monkeypatch.setattr(errors, "obeyed_at", -errors.TIDYING)
    number, remove = signal.SIGTERM, scratch.shutil.rmtree
    handler = signal.signal(number, errors.interrupt)

    def remove_interrupted(folder: Path, **options: object) -> None:
        signal.raise_signal(number)
        remove(folder, **options)

    monkeypatch.setattr(scratch.shutil, "rmtree", remove_interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            Stage([chapter_one()], GRADERS)
            signal.raise_signal(number)
        scratch.remove_folders()
        assert list(tmp_path.iterdir()) == []
        monkeypatch.setattr(errors, "obeyed_at", time.monotonic() - errors.TIDYING)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
    finally:
        signal.signal(number, handler)


def test_what_a_killed_grading_left_is_removed_a_day_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the folders of a grading that still runs, nor those of others."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    names = {kind: f"{kind}-{letter * 16}" for kind, letter in (("course", "a"), ("grading", "b"))}
    running, young, others = f"course-{'c' * 16}", f"grading-{'d' * 16}", "course-notes"
    for name in (*names.values(), running, young, others):
        (tmp_path / name / "inside").mkdir(parents=True)
    (tmp_path / f"course-{'e' * 16}").symlink_to(tmp_path / others)
    for name in (*names.values(), running, others):
        os.utime(tmp_path / name, (0, 0))
    descriptor = scratch.lock(tmp_path / running)
    folder = scratch.name_folder("course")
    scratch.remove_folder(folder)
    os.close(descriptor)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {running, young, others, f"course-{'e' * 16}"}


def test_no_server_begins_when_all_are_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that grades might begin one for its student, while the main thread tidies up."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(Server, "running", set())
    monkeypatch.setattr(Server, "ending", False)
    server = Server([], course=ROOT)
    Server.end_all()
    with pytest.raises(RuntimeError, match="being ended"):
        Server([])
    with pytest.raises(OSError, match="being ended"):
        server._next_job()  # as a thread does that finds its server gone
    assert server.process.poll() is not None and list(tmp_path.iterdir()) == []
