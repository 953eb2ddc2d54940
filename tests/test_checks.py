"""The automatic checks: .ci/run and the hosted workflow run one list, .ci/checks, which has what `make` runs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from common.launch import OLDEST_PYTHON, ROOT
from tests.test_constraints import PYTHONS

CI = ROOT / ".ci"
pytestmark = [
    pytest.mark.skipif(not CI.exists(), reason="the students' edition has no automatic checks"),
    pytest.mark.skipif(os.name != "posix" or not shutil.which("bash"), reason="needs bash"),
]
TRAINING = [
    path.name
    for path in Path(__file__).parent.glob("test_*.py")
    if path != Path(__file__) and "mark.trains" in path.read_text("utf-8")
]
SHAKEN = "-m tools.shake --rounds 1 --only start hashing locale zone umask columns home -- -m trains and not slow"
SHAKEN = " ".join([SHAKEN, *(f"tests/{name}" for name in sorted(TRAINING))])
LIST = ["-m ruff check .", "-m ruff format --check .", "-m tools.check_types", SHAKEN, "-m book.labs --check"]
SIDE_BY_SIDE = slice(2, 5)
NOT_MADE = ("book.labs", "tools.shake")
"""What `make lint test-all` leaves to the automatic check."""


def write_script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def record(folder: Path, status: str = "exit 0") -> tuple[Path, Path]:
    """A Python that writes its arguments to a file, line by line, and ends with `status`; and that file."""
    log = folder / "arguments"
    return write_script(folder / "python", f'echo "$*" >> {shlex.quote(str(log))}\n{status}'), log


def run_checks(*arguments: str | Path, **environment: str) -> int:
    ordered = {"LC_ALL": "C"}  # in which names of files are sorted as Python sorts them
    return subprocess.run([CI / arguments[0], *arguments[1:]], env={**os.environ, **ordered, **environment}).returncode


def in_order(lines: list[str]) -> list[str]:
    """What was run, those that run side by side in the order of the list, whichever began first."""
    return [*lines[:2], *sorted(lines[SIDE_BY_SIDE], key=LIST.index), *lines[5:]]


def test_the_list_has_the_style_the_labs_and_every_test(tmp_path: Path) -> None:
    python, log = record(tmp_path)
    assert run_checks("checks", python) == 0
    *first, last = in_order(log.read_text("utf-8").splitlines())
    assert first == LIST and last.startswith("-m pytest ") and " -m " not in last[10:]


@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
def test_the_list_has_what_make_runs(tmp_path: Path) -> None:
    python, log = record(tmp_path)
    run_checks("checks", python)
    command = ["make", "--dry-run", "--always-make", f"VENV={tmp_path}", f"BIN={tmp_path}", "lint", "test-all"]
    env = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    recipes = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True).stdout
    by_make = [" ".join(line.split()[1:]) for line in recipes.splitlines() if line.startswith(f"{python} -m ")]
    assert by_make == [
        line for line in log.read_text("utf-8").splitlines() if not any(name in line for name in NOT_MADE)
    ]


@pytest.mark.parametrize("failing", LIST)
def test_the_first_failure_ends_the_list(tmp_path: Path, failing: str) -> None:
    """But what runs beside it runs to its end."""
    python, log = record(tmp_path, f'[ "$*" != "{failing}" ]')
    assert run_checks("checks", python) == 1
    end = SIDE_BY_SIDE.stop if failing in LIST[SIDE_BY_SIDE] else LIST.index(failing) + 1
    assert in_order(log.read_text("utf-8").splitlines()) == LIST[:end]


MAKING = 'case "$1 $2" in "-m venv") for last; do :; done; mkdir -p "$last/bin"; cp "$0" "$last/bin/python" ;; {} esac'
"""A Python that makes copies of itself, and whose pip does nothing."""


def test_a_fresh_environment_is_made_for_the_list(tmp_path: Path) -> None:
    python, log = record(tmp_path, MAKING.format(""))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    assert run_checks("run", PYTHON=str(python), TMPDIR=str(temporary)) == 0
    lines = log.read_text("utf-8").splitlines()
    (installation,) = [number for number, line in enumerate(lines) if line.startswith("-m pip install ")]
    assert lines[installation].endswith("--editable .[dev]")
    assert in_order(lines[installation + 1 : -1]) == LIST and lines[-1].startswith("-m pytest ")
    assert list(temporary.iterdir()) == []


def test_a_failed_installation_is_shown(tmp_path: Path) -> None:
    failing = '"-m pip") if [ "$3" = install ]; then echo "ERROR: no such version"; exit 1; fi ;;'
    python, log = record(tmp_path, MAKING.format(failing))
    environment = {**os.environ, "PYTHON": str(python), "TMPDIR": str(tmp_path)}
    result = subprocess.run([CI / "run"], env=environment, capture_output=True, text=True)
    assert result.returncode == 1 and result.stderr.endswith("\nERROR: no such version\n")
    assert LIST[0] not in log.read_text("utf-8")


def test_the_hosted_workflow_runs_the_list_on_each_system_and_the_oldest_and_newest_python() -> None:
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    assert re.findall(r"- run: (.+?)(?: #.*)?\n", workflow)[1:] == [".ci/checks"]
    assert "system: [ubuntu-latest, macos-latest, windows-latest]\n" in workflow and "shell: bash\n" in workflow
    oldest, newest = "{}.{}".format(*OLDEST_PYTHON), PYTHONS[-1].rpartition(".")[0]
    assert f'python: ["{oldest}", "{newest}"]\n' in workflow
