"""The additions that CONTRIBUTING.md shows as diffs: each applies to the repository, is there, and passes its test."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.programs import ROOT, write_corpus

SECTION = re.compile(
    r"### (?P<title>[^\n]*`(?P<name>[^`]+)`)\n.*?```diff\n(?P<diff>.*?)```\n+```\n(?P<commands>.*?)```", re.S
)
TITLES = ["An attention score", "A kind of model", "A smoothing method", "An optimiser", "A corpus", "An exercise"]


class Addition(NamedTuple):
    """A section: what is added under which name, the diff, and the commands that show it; the last one is its test."""

    title: str
    name: str
    diff: str
    commands: list[str]


def additions() -> list[Addition]:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    return [Addition(*match.groups()[:3], match["commands"].splitlines()) for match in SECTION.finditer(text)]


SETTINGS = (ROOT / "chapters" / "06_attentive_lm" / "settings.py").read_text("utf-8")
READY = [addition for addition in additions() if addition.name != "scaled" or "choices=PAST_SCORES" in SETTINGS]
"""Those for which the repository has the table that they add to."""


def copy_of_the_repository(folder: Path) -> Path:
    """Every file that git knows of, as it is now."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    names = [name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
    if not names:
        pytest.skip("not a clone: git does not know the files")
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    return folder


def apply(diff: str, folder: Path) -> str:
    """What `git apply` complains of; nothing where all is well."""
    done = subprocess.run(["git", "apply", "-"], input=diff.encode(), cwd=folder, capture_output=True)
    assert bool(done.returncode) == bool(done.stderr)
    return done.stderr.decode()


def run(command: str, folder: Path) -> subprocess.CompletedProcess:
    """A command of the document in `folder`. Programs train on a few invented sentences, unless it names others."""
    program, *arguments = shlex.split(command)
    assert program == "python"
    if arguments[0].endswith("train.py") and not {"--help", "--corpus"} & set(arguments):
        arguments += ["--corpus", str(folder / "tiny")]
    if arguments[:2] == ["-m", "pytest"]:
        arguments += ["-q", "-p", "no:cacheprovider"]
    places = {"COURSE_RUNS": str(folder / "made"), "COURSE_DATA": str(folder / "installed"), "OMP_NUM_THREADS": "1"}
    options = {"cwd": folder, "capture_output": True, "encoding": "utf-8", "timeout": 300}
    return subprocess.run([sys.executable, *arguments], env={**os.environ, **places}, **options)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy with all additions, and a corpus for them."""
    folder = copy_of_the_repository(tmp_path_factory.mktemp("contributing") / "course")
    assert [apply(addition.diff, folder) for addition in READY] == [""] * len(READY)
    corpus = write_corpus(folder / "tiny")
    with zipfile.ZipFile(folder / "farm.zip", "w") as archive:
        for split, name in (("train", "train"), ("dev", "valid"), ("test", "test")):
            archive.write(corpus / f"{split}.txt", f"farm.{name}.txt")
    return folder


def test_the_document_shows_each_kind_of_addition() -> None:
    assert [addition.title.partition(":")[0] for addition in additions()] == TITLES
    for addition in additions():
        assert len(addition.commands) >= 3 and "-m pytest" in addition.commands[-1]


@pytest.mark.slow
@pytest.mark.parametrize("addition", READY, ids=lambda addition: addition.name)
def test_the_addition_works(addition: Addition, repository: Path) -> None:
    mention, mentions = re.compile(rf"(?<![\w-]){re.escape(addition.name)}(?![\w-])"), 0
    for command in addition.commands:
        done = run(command, repository)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        if "--help" in command or " hint " in command:
            assert mention.search(done.stdout), done.stdout
            mentions += 1
    assert " passed" in done.stdout and mentions
