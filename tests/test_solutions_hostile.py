"""What a student's file may do, by mistake or not, and what becomes of it: one line, and never a point."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from solutions.grading.execution import FAILED, PASSED
from solutions.grading.marking import Graders, Marking
from solutions.grading.reading import look_twice, read_files
from solutions.grading.running import TaskResult
from solutions.grading.sandbox import has_bubblewrap
from solutions.sets import choose
from tests.submissions import (
    FIRST,
    LINE,
    chapter_one,
    grade_text,
    line_of,
    with_code,
    write_submission,
)

LIMIT = 4.0
ENDLESS = 2.0
"""Seconds for a check, and for one of those that use them all."""
ANSWER = chapter_one().answers["perplexity"]
SECRET = chapter_one().path_of("perplexity").as_posix()

UNPRINTABLE = """
class Strange(Exception):
    def __str__(self): raise ValueError
raise Strange
"""

TOP = "OUTSIDE = {outside!r}"

CASES = {
    "endless loop that stops the clock": (
        with_code("import faulthandler\nfaulthandler.cancel_dump_traceback_later()\nwhile True: pass"),
        "no answer after 2 seconds|still running",
    ),
    "syntax error": (ANSWER.replace(FIRST, "    try\n" + LINE), "line {    try}: SyntaxError: expected ':'"),
    "missing function": (
        ANSWER.replace("def perplexity", "def perplexiti"),
        "line {def perplexiti}: there is no function perplexity",
    ),
    "an exception": (with_code("['key'].pop().x"), "line {['key']}, in perplexity: AttributeError: 'str'"),
    "an exception with nothing to say": (with_code(UNPRINTABLE), "line {raise Strange}, in perplexity: Strange"),
    "an exception instead of another": (
        with_code("try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise ValueError('hidden') from error"),
        "line {raise ValueError}, in perplexity: ValueError: hidden",
    ),
    "a hidden exception": (
        with_code("try:\n    return 1 / 0\nexcept Exception:\n    pass\nreturn 0"),
        r"yours gives 0 \(.*line {except Exception}: this `except` hides",
    ),
    "a hidden exception, and nothing returned": (
        with_code("try:\n    return [][1]\nexcept:\n    pass\nreturn"),
        r"is a `return` missing\? \(.*line {except:}: this `except` hides",
    ),
    "an exception when loaded": (with_code(top="undefined"), "line {undefined}, in <module>: NameError"),
    "endless recursion": (with_code("perplexity(log_prob, predictions)"), "RecursionError"),
    "no return": (ANSWER.replace(LINE, "        math.exp(-log_prob / predictions)\n"), "is a `return` missing"),
    "endless loop": (with_code("while True:\n    pass"), "line {while True|pass}: still running after 2 seconds"),
    "endless loop in C": (with_code("sum(iter(int, 1))"), "line {sum(iter}: still running"),
    "sys.exit": (with_code("import sys; sys.exit(0)"), "line {sys.exit}, in perplexity: the file ends the program"),
    "os._exit": (with_code("import os; os._exit(0)"), "line {os._exit}, in perplexity: Refused.*may not be ended"),
    "abort": (with_code("import os; os.abort()"), "the file ended the process"),
    "waiting for input": (with_code("input()"), "line {input()}, in perplexity: EOFError"),
    "reading the answer": (with_code(f"open({SECRET!r})"), "line {open(}, in perplexity: Refused"),
    "importing the answer": (
        with_code("import solutions.ch01_ngram_lm.perplexity"),
        "line {import sol}.*may not be imported",
    ),
    "changing math": (with_code("math.isclose = lambda *a, **b: True\nreturn 7.0"), "with other numbers than"),
    "another process": (
        with_code("import subprocess, sys\nsubprocess.Popen([sys.executable])"),
        "line {subprocess.Popen}, in perplexity: Refused: no other process",
    ),
    "a connection": (with_code("import socket\nsocket.socket()"), "line {socket.socket}, in perplexity: Refused"),
    "a file outside": (with_code("open(OUTSIDE, 'w')", TOP), "Refused: files may not be written"),
    "removing a file": (with_code("import os; os.remove(OUTSIDE)", TOP), "Refused: files may not"),
    "spying": (with_code("import gc; gc.get_objects()"), "line {gc.get}, in perplexity: Refused: no exercise"),
    "needs another exercise": (with_code("raise NotImplementedError('Exercise 1.2: x')"), "needs exercise 1.2"),
    "not text": ("\x00" + ANSWER, "Python cannot read it|SyntaxError"),
    "much nesting": ("x = " + "(" * 5000 + ")" * 5000 + "\n" + ANSWER, "SyntaxError|MemoryError|cannot read"),
}
"""What a student's file does, and the message; in braces what the line that it names has in it. The one that
takes longest begins first."""
if sys.platform == "linux":
    CASES["memory"] = (with_code("x = bytearray(2**34)"), "line {bytearray}, in perplexity: MemoryError")


WAYS = [False, *([True] if has_bubblewrap() else [])]


@pytest.fixture(scope="module", params=WAYS, ids=lambda isolated: "isolated" if isolated else "fenced")
def marking(request: pytest.FixtureRequest) -> Iterator[Marking]:
    """What marks of exercise 1.5 are made with, without bubblewrap and with it."""
    with Marking(choose([chapter_one()], "1.5"), limit=LIMIT, memory=4, isolated=request.param) as marking:
        marking.prepare()
        yield marking


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory, marking: Marking) -> dict[str, TaskResult]:
    """All cases, graded side by side."""
    outside = tmp_path_factory.mktemp("outside") / "file.txt"
    outside.write_text("kept", encoding="utf-8")

    def grade_case(case: str) -> TaskResult:
        text = CASES[case][0].replace("{outside!r}", repr(str(outside)))
        limit = ENDLESS if case.startswith("endless loop") else LIMIT
        return grade_text(tmp_path_factory.mktemp("case"), text, limit=limit, marking=marking)

    with ThreadPoolExecutor(max(3, os.cpu_count() or 1)) as pool:  # three never end
        graded = dict(zip(CASES, pool.map(grade_case, CASES), strict=True))
    assert outside.read_text(encoding="utf-8") == "kept"
    return graded


@pytest.mark.needs("cores", "time")
@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_one_line_and_no_point(case: str, results: dict[str, TaskResult]) -> None:
    text, pattern = CASES[case]
    result = results[case]
    assert result.status == FAILED and result.score == 0
    assert "\n" not in result.message
    assert "{" not in pattern or "perplexity.py, line" in result.message

    def numbers(marked: re.Match) -> str:
        parts = marked[1].split("|")
        lines = [number for number, line in enumerate(text.splitlines(), 1) if any(part in line for part in parts)]
        return f"({'|'.join(map(str, lines))})"

    assert re.search(re.sub(r"\{(.+?)\}", numbers, pattern), result.message), result.message


@pytest.fixture(scope="module")
def graders() -> Iterator[Graders]:
    """One server for all checks."""
    with Graders([chapter_one()]) as graders:
        yield graders


@pytest.mark.needs("time")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
def test_a_child_that_was_started_all_the_same_does_not_outlive_the_grading(tmp_path: Path) -> None:
    """Neither where it has left its group: on Linux it is known by a mark in its environment."""
    alive = tmp_path / "alive"
    alone = "os.setsid()" if sys.platform == "linux" else "pass"
    child = tmp_path / "child.py"
    child.write_text(
        f"import os, time\n{alone}\nopen({str(alive)!r}, 'w')\n"
        f"while True:\n    os.utime({str(alive)!r})\n    time.sleep(0.05)\n",
        encoding="utf-8",
    )
    started = (
        f"import os, subprocess, sys, time\n"
        f"if not os.path.exists({str(alive)!r}):\n"
        f"    subprocess.Popen([sys.executable, {str(child)!r}], stdout=subprocess.DEVNULL)\n"
        f"while not os.path.exists({str(alive)!r}):\n"
        f"    time.sleep(0.05)"
    )
    with Graders([chapter_one()], guarded=False) as graders:
        assert grade_text(tmp_path / "work", with_code(started), graders=graders, limit=60).status == PASSED
    before = alive.stat().st_mtime_ns
    time.sleep(0.3)
    assert alive.stat().st_mtime_ns == before


def test_a_missing_file_never_falls_back_on_the_answer(tmp_path: Path, graders: Graders) -> None:
    text = with_code(top="from counting import count_ngrams")
    result = grade_text(tmp_path, text, graders=graders)
    assert result.status == FAILED and "there is no counting.py among these files" in result.message
    assert f"line {line_of(text, 'from counting')}" in result.message
    result = grade_text(tmp_path / "another", ANSWER, which="1.2")
    assert result.status == FAILED and "counting.py: no such file" in result.message


def test_a_neighbour_is_the_submissions_own(tmp_path: Path, graders: Graders) -> None:
    write_submission(tmp_path, "def f():\n    return 7\n", "counting")
    assert (
        grade_text(tmp_path, with_code("import counting\nassert counting.f() == 7"), graders=graders).status == PASSED
    )


def test_unusual_code_is_pointed_out(tmp_path: Path) -> None:
    text = with_code("import os\nframe = sys._getframe(1)\nopen('x')")
    folder = write_submission(tmp_path, text)
    remarks = " ".join(look_twice(chapter_one(), read_files(folder, chapter_one())))
    for name in ("os", "_getframe", "open"):
        assert re.search(rf"perplexity.py, line \d+: {name}\b", remarks)
    honest = write_submission(tmp_path / "honest", ANSWER)
    assert look_twice(chapter_one(), read_files(honest, chapter_one())) == []
