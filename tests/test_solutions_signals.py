"""A grading that is ended by Ctrl-C or a signal leaves neither folders nor processes behind, and keeps its rows."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from solutions.grading import marking
from solutions.grading.marking import Marking
from solutions.grading.process import Server
from solutions.grading.stage import Stage
from solutions.sets import GRADERS, ROOT, choose
from tests.submissions import ANSWERS, chapter_one, with_code, write_submission

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")
ENDING = ["SIGINT", "SIGTERM", "SIGHUP"]


def restore_signals() -> None:
    """A process that was started in the background, or by nohup, ignores some signals, and so do its children."""
    for name in ENDING:
        signal.signal(getattr(signal, name), signal.SIG_DFL)


@pytest.mark.needs("time")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "moment"),
    [
        *((name, "first row") for name in ENDING),
        ("SIGINT", "preparing"),
        ("SIGTERM", "preparing"),
        ("SIGINT", "pytest"),
    ],
)
def test_nothing_is_left(tmp_path: Path, name: str, moment: str) -> None:
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
    with subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=restore_signals,
    ) as running:
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
        assert f"interrupted; the rows so far are in {rows}; --resume goes on" in errors
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


class Interrupted(set):
    """Ctrl-C comes just when a server is added."""

    def add(self, server: Server) -> None:
        raise KeyboardInterrupt


@pytest.mark.parametrize("moment", ["copy of the course", "server"])
def test_ctrl_c_while_a_folder_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    written = Path.write_bytes

    def write(path: Path, data: bytes) -> None:
        written(path, data)
        raise KeyboardInterrupt

    monkeypatch.setattr(Server, "running", Interrupted())
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Path, "write_bytes", write)
        Stage([chapter_one()], GRADERS) if moment == "copy of the course" else Server([])
    assert list(tmp_path.iterdir()) == []


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
