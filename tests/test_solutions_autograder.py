"""`python -m solutions autograder`: the archive is unpacked, set up and run as Gradescope does, in another folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from common.errors import UserError
from solutions import autograder as autograder_command
from solutions.autograder import write_autograder
from solutions.sets import ROOT, read_toml
from tests.submissions import ANSWERS, write_submission

pytestmark = pytest.mark.skipif(os.name != "posix" or not shutil.which("bash"), reason="the scripts are for bash")
WRONG = ANSWERS["by_hand"].replace("return 2 / 3", "return 0.5")
LOGGED = """#!/bin/sh
echo "$(basename "$0") $*" >> "$AUTOGRADER/commands"
case "$*" in "-m venv "*) mkdir -p "$3/bin"; cp "$STUBS/python" "$3/bin/python";; esac
case "$*" in "-m solutions "*) exec "{python}" "$@";; esac
"""
"""Stands for a program: its words are logged. Python makes an environment of such programs, and runs the grading."""


@pytest.fixture(scope="module")
def autograder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """/autograder, after setup.sh."""
    folder, stubs = tmp_path_factory.mktemp("autograder"), tmp_path_factory.mktemp("programs")
    write_autograder(folder / "upload.zip", "1.1")
    with zipfile.ZipFile(folder / "upload.zip") as archive:
        for entry in archive.infolist():
            path = Path(archive.extract(entry, folder / "source"))
            path.chmod(entry.external_attr >> 16)
    for name in ("apt-get", "python3", "python"):
        (stubs / name).write_text(LOGGED.format(python=sys.executable), encoding="utf-8")
        (stubs / name).chmod(0o755)
    for name in ("submission", "results"):
        (folder / name).mkdir()
    run(folder, "setup.sh", STUBS=str(stubs), PATH=f"{stubs}{os.pathsep}{os.environ['PATH']}")
    return folder


def run(folder: Path, script: str, **variables: str) -> None:
    """As Gradescope does: by its own path, in /autograder."""
    environment = {**os.environ, "AUTOGRADER": str(folder), **variables}
    subprocess.run([folder / "source" / script], cwd=folder, env=environment, check=True, timeout=120)


@pytest.mark.needs("time")
def test_setup_installs_what_the_course_needs(autograder: Path) -> None:
    source = autograder / "source"
    commands = (autograder / "commands").read_text("utf-8").splitlines()
    assert commands[:3] == [
        "apt-get update",
        "apt-get install -y python3 python3-venv bubblewrap",
        f"python3 -m venv {autograder}/venv",
    ]
    assert commands[3].startswith("python -m pip install --only-binary :all: --no-binary rouge-score ")
    assert f"--constraint {source}/constraints.txt --requirement {source}/requirements.txt" in commands[3]
    needed = read_toml(ROOT / "pyproject.toml")["project"]["dependencies"]
    assert (source / "requirements.txt").read_text("utf-8").splitlines() == needed and "numpy" in str(needed)
    for name in ("setup.sh", "run_autograder"):
        subprocess.run(["bash", "-n", source / name], check=True)


@pytest.mark.needs("time")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "score", "output"),
    [(ANSWERS["by_hand"], 1, "passed"), (WRONG, 0, "in probability_of_goat: c(h) is how often"), ("", 0, "nothing to")],
    ids=["right", "wrong", "nothing"],
)
def test_a_submission_is_graded(autograder: Path, text: str, score: int, output: str) -> None:
    """By the autograder's own copy of the course. What cannot be graded is a result, too."""
    results = autograder / "results" / "results.json"
    results.unlink(missing_ok=True)
    shutil.rmtree(autograder / "submission")
    (autograder / "submission").mkdir()
    if text:
        write_submission(autograder / "submission", text, "by_hand")
    run(autograder, "run_autograder")
    report = json.loads(results.read_text("utf-8"))
    (test,) = report["tests"]
    assert (report["score"], test["score"], test["max_score"]) == (score, score, 1)
    assert test["name"].startswith("1.1 ") and test["output"].startswith(output)


@pytest.mark.needs("time")
@pytest.mark.slow
def test_a_broken_autograder_fails_and_marks_nobody(autograder: Path) -> None:
    results = autograder / "results" / "results.json"
    results.unlink(missing_ok=True)
    answer = autograder / "source" / "solutions" / "ch01_ngram_lm" / "by_hand.py"
    kept = answer.read_bytes()
    answer.write_bytes(kept.replace(b"return 2 / 3", b"return 0.5"))
    with pytest.raises(subprocess.CalledProcessError):
        run(autograder, "run_autograder")
    answer.write_bytes(kept)
    assert not results.exists()


def test_what_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="no exercise 1.99"):
        write_autograder(tmp_path / "x.zip", "1.99")
    with pytest.raises(UserError, match="is a folder; name a file"):
        write_autograder(tmp_path, "1.1")
    monkeypatch.setattr(autograder_command, "is_answer", lambda text: False)
    with pytest.raises(UserError, match="this edition has no answers"):
        write_autograder(tmp_path / "x.zip", "1.1")
    assert list(tmp_path.iterdir()) == []
