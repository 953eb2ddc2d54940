"""`python -m solutions autograder FILE.zip`: what Gradescope takes as the autograder of an assignment.

The archive has setup.sh, which is run once, run_autograder, which is run for each submission, and the course as far as
grading needs it, with the answers: hand it to nobody else. Both scripts work in /autograder, or in the folder that the
variable AUTOGRADER names.
"""

from __future__ import annotations

import argparse
import shlex
import zipfile
from collections.abc import Iterator
from pathlib import Path

from common.errors import UserError
from common.files import atomic_write
from solutions.sets import ROOT, choose, find_sets, read_toml
from solutions.stubs import is_answer

COURSE = ("common/**/*.py", "chapters/**/*.py", "solutions/**/*.py", "solutions/**/*.json", "solutions/**/*.toml")
FILES = ("pyproject.toml", "constraints.txt")
SETUP = """#!/usr/bin/env bash
# Run once, as root, when the image is made (Ubuntu 22.04 or newer).
set -e
AUTOGRADER="${AUTOGRADER:-/autograder}"
apt-get update
apt-get install -y python3 python3-venv bubblewrap
python3 -m venv "$AUTOGRADER/venv"
"$AUTOGRADER/venv/bin/python" -m pip install --only-binary :all: --no-binary rouge-score \\
    --constraint "$AUTOGRADER/source/constraints.txt" --requirement "$AUTOGRADER/source/requirements.txt"
"""
RUN = """#!/usr/bin/env bash
# Run for each submission. Where it cannot be graded, the results say why: that is no failure of the autograder.
AUTOGRADER="${{AUTOGRADER:-/autograder}}"
results="$AUTOGRADER/results/results.json"
cd "$AUTOGRADER/source" || exit 1
"$AUTOGRADER/venv/bin/python" -m solutions grade "$AUTOGRADER/submission" {only} --jobs 1 --gradescope "$results"
test -s "$results"
"""
EXECUTABLE, ORDINARY = 0o100755, 0o100644


def add_arguments(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser("autograder", help="write the archive that Gradescope takes as an autograder")
    parser.add_argument("file", type=Path, metavar="FILE.zip", help="the archive to write")
    parser.add_argument("--only", default="", metavar="WHICH", help="only a chapter (6) or an exercise (6.2)")
    parser.set_defaults(func=lambda arguments: write_autograder(arguments.file, arguments.only))


def write_autograder(path: Path, only: str = "") -> None:
    """Write the archive. Raises `UserError` for unknown exercises, and in an edition without answers."""
    tasks = choose(find_sets(), only)
    if not all(is_answer(task.exercises.answers[task.file]) for task in tasks):
        raise UserError("this edition has no answers, so nothing can be graded; use the instructor's own")
    if path.is_dir():
        raise UserError(f"{path}: is a folder; name a file")
    with atomic_write(path, "wb") as file, zipfile.ZipFile(file, "w") as archive:
        for name, data, mode in content(only):
            entry = zipfile.ZipInfo(name)
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, mode << 16
            archive.writestr(entry, data)
    points = sum(task.points for task in tasks)
    print(f"wrote {path}: {len(tasks)} exercises, {points:g} points; it contains the answers")


def content(only: str) -> Iterator[tuple[str, bytes, int]]:
    """The files of the archive: names, bytes, and modes."""
    flag = f"--only={shlex.quote(only)}" if only else ""
    dependencies = read_toml(ROOT / "pyproject.toml")["project"]["dependencies"]
    yield "setup.sh", SETUP.encode(), EXECUTABLE
    yield "run_autograder", RUN.format(only=flag).encode(), EXECUTABLE
    yield "requirements.txt", "".join(f"{line}\n" for line in dependencies).encode(), ORDINARY
    paths = {path for pattern in (*COURSE, *FILES) for path in ROOT.glob(pattern)}
    for path in sorted(paths):
        yield path.relative_to(ROOT).as_posix(), path.read_bytes(), ORDINARY
