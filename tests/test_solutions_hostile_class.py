"""A class of hostile and honest students: no mark that was not earned, none that is lost, nothing written outside."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from solutions.grading.marking import Marking
from solutions.grading.sandbox import has_bubblewrap
from solutions.sets import ROOT, choose
from tests.hostile_submissions import HOSTILE, ODD, with_attack
from tests.submissions import ANSWERS, LINE, chapter_one, grade_class, write_submission

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="most of these are for systems with fork"),
]

ANSWER = ANSWERS["perplexity"]
WRONG = ANSWER.replace(LINE, "        return 7.0\n")
WAYS = [False, *([True] if has_bubblewrap() else [])]


def make_class(folder: Path, outside: Path) -> None:
    """Hostile students, an honest one after every five, and odd ones."""
    places = {
        "OUTSIDE": str(outside),
        "SECRET": str(chapter_one().path_of("perplexity")),
        "NEIGHBOUR": str(folder / "00-honest" / "ch01_ngram_lm" / "perplexity.py"),
    }
    for number, (name, body) in enumerate(HOSTILE.items()):
        write_submission(folder / f"{number:02}-{name}", with_attack(WRONG, body, places))
        if number % 5 == 0:
            write_submission(folder / f"{number:02}-honest", ANSWER)
    for name, body in ODD.items():
        write_submission(folder / f"odd-{name}", with_attack(ANSWER, body, places))
    submission = write_submission(folder / "odd-names", ANSWER)
    for file in ("math", "numpy", "dynet", "sitecustomize", "solutions", "common"):
        (submission / "ch01_ngram_lm" / f"{file}.py").write_text("raise SystemExit\n", encoding="utf-8")
    linked = write_submission(folder / "odd-links", ANSWER)
    (linked / "ch01_ngram_lm" / "counting.py").symlink_to(outside / "kept")
    (linked / "all").symlink_to("/")


def digest(folder: Path) -> dict[str, str]:
    """What lies in a folder: names and contents."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and "all" not in path.parts]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module", params=WAYS, ids=lambda isolated: "isolated" if isolated else "fenced")
def marks(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """The rows of the class, graded with bubblewrap and without."""
    place = tmp_path_factory.mktemp("class")
    outside = place / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept", encoding="utf-8")
    make_class(place / "class", outside)
    before = digest(place)
    tasks = choose([chapter_one()], "1.5")
    students, results = [*(place / "class").iterdir()], place / "results"
    results.mkdir()
    with Marking(tasks, limit=4, memory=2, isolated=request.param) as marking:
        marking.prepare()
        rows = grade_class(students, tasks, marking, results, total=30)
        assert marking.check_course() == [], "the copy of the course was changed"
    after = {name: content for name, content in digest(place).items() if not name.startswith("results")}
    assert after == before, "something was written outside"
    assert len(list(results.glob("results.*.json"))) == len(students)
    assert all(json.loads(path.read_text(encoding="utf-8"))["tests"] for path in results.glob("results.*.json"))
    return rows


@pytest.mark.needs("time")
def test_no_mark_is_earned_by_an_attack(marks: dict[str, dict[str, str]]) -> None:
    hostile = {name: row for name, row in marks.items() if name[3:] in HOSTILE}
    assert len(hostile) == len(HOSTILE) >= 60
    assert [name for name, row in hostile.items() if row["points"] != "0"] == []


@pytest.mark.needs("time")
def test_no_mark_is_lost_by_a_neighbours_attack(marks: dict[str, dict[str, str]]) -> None:
    honest = {name: row for name, row in marks.items() if name.endswith("-honest")}
    assert len(honest) == len(range(0, len(HOSTILE), 5))
    assert [name for name, row in honest.items() if row["points"] != "3" or row["problems"]] == []


@pytest.mark.needs("time")
def test_no_mark_is_lost_by_what_is_odd(marks: dict[str, dict[str, str]]) -> None:
    odd = {name: row["problems"] for name, row in marks.items() if name.startswith("odd-") and row["points"] != "3"}
    assert odd == {}
    assert len([name for name in marks if name.startswith("odd-")]) == len(ODD) + 2


@pytest.mark.needs("time")
def test_messages_are_one_line_of_text(marks: dict[str, dict[str, str]]) -> None:
    for row in marks.values():
        assert all(cell.isprintable() for cell in row.values())


READ_IN_C = """
import ctypes, sys
from pathlib import Path
from solutions.grading import landlock
libc = ctypes.CDLL(None)
allowed, other = (path.encode() for path in sys.argv[1:])
before = libc.open(other, 0) >= 0
there = landlock.restrict([Path(sys.argv[1])])
print(there, before, libc.open(allowed, 0) >= 0, libc.open(other, 0) >= 0)
"""


def test_the_kernel_keeps_c_code_from_reading_elsewhere(tmp_path: Path) -> None:
    for name in ("allowed", "other"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    command = [sys.executable, "-c", READ_IN_C, str(tmp_path / "allowed"), str(tmp_path / "other")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    if done.stdout.startswith("False"):
        pytest.skip("a kernel without Landlock")
    assert done.stdout.split() == ["True", "True", "True", "False"]
