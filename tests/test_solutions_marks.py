"""Marks: what exams see, what is not carried over, and that no submission touches another."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from solutions.grading import process
from solutions.grading.compare import difference, first_difference, unsound
from solutions.grading.exam import Draw, call, plain
from solutions.grading.execution import FAILED, PASSED
from solutions.grading.jobs import START, ForkedJob
from solutions.grading.marking import Marking
from solutions.grading.process import FORKS
from solutions.grading.reading import locate, read_files
from solutions.grading.sandbox import has_bubblewrap
from solutions.public_exam import exams_of
from solutions.sets import ROOT, choose
from solutions.stubs import mutate
from tests.submissions import ANSWERS, chapter_one, grade_class, grade_text, with_code, write_submission


@pytest.fixture(scope="module")
def marking() -> Iterator[Marking]:
    tasks = [chapter_one().tasks[number] for number in ("1.1", "1.2", "1.5")]
    with Marking(tasks, limit=20, memory=4) as marking:
        marking.prepare()
        yield marking


class TestCompare:
    @pytest.mark.parametrize(
        ("actual", "expected"),
        [
            (10**9 + 1, 10**9), (1e9 + 1, 10**9), (1.0001, 1.0),
            (float("nan"), 1.0), ("1", 1), (None, 1), ([1], [1, 2]), ([[1]], [1]), ({}, 1), ("a", "b"),
            ({"kind": "array", "shape": [2, 1], "values": [1, 2]},
             {"kind": "array", "shape": [1, 2], "values": [1, 2]}),
            ({"kind": "array", "shape": [2], "values": [1, "x"]}, {"kind": "array", "shape": [2], "values": [1, 2]}),
            ({"kind": "array", "shape": [2], "values": [1]}, {"kind": "array", "shape": [2], "values": [1, 2]}),
            ({"kind": "error", "type": "KeyError", "told": "KeyError"}, 1),
            (1, {"kind": "error", "type": "KeyError", "told": "KeyError"}),
            ({"kind": "near", "value": 0.4, "tolerance": 9.0}, {"kind": "near", "value": 0.5, "tolerance": 0.05}),
        ],
    )  # fmt: skip
    def test_what_differs(self, actual: object, expected: object) -> None:
        assert difference(actual, expected, 1e-6)

    def test_what_does_not(self) -> None:
        """What else agrees, the right answers in other styles show."""
        half = {"kind": "near", "value": 0.5, "tolerance": 0.05}
        for actual, expected in ((True, 1), (float("inf"), float("inf")), (half | {"value": 0.52}, half)):
            assert difference(actual, expected, 1e-6) == ""
        for shape, rows in (([2, 0], [[], []]), ([0, 2], []), ([2, 0, 3], [[], []]), ([1, 2, 0], [[[], []]])):
            assert difference({"kind": "array", "shape": shape, "values": []}, rows, 1e-6) == "", shape

    def test_records_that_are_too_short_too_long_or_nonsense(self) -> None:
        right = [("a", 1), ("b", plain({"x": 1}))]
        assert first_difference(right, right, 1e-6) == ""
        assert first_difference(right[:1], right, 1e-6) == "b: no answer"
        assert first_difference([*right, ("c", 1)], right, 1e-6) == "more answers than questions"
        assert first_difference([("a", 10**400), right[1]], [("a", 0.5), right[1]], 1e-6).startswith("a: ")
        assert first_difference([("a", 1), ("b", {"kind": "dictionary"})], right, 1e-6).startswith("b: ")
        endless = {"kind": "array", "shape": [10**12, 0], "values": []}
        assert first_difference([("a", endless)], [("a", [[]])], 1e-6) == "a: an answer that cannot be read"
        assert unsound([]) and unsound([("a", [float("nan")])]) == "a" and not unsound(right)

    def test_a_call_tells_errors_and_changed_arguments(self) -> None:
        numbers = [[3, 1]]
        assert call(lambda rows: rows[0].sort(), numbers)["kind"] == "change"
        assert call(lambda: 1 / 0)["type"] == "ZeroDivisionError"
        assert call(sorted, (2, 1)) == [1, 2]


@pytest.mark.needs("time")
@pytest.mark.slow
def test_each_grading_has_a_seed_of_its_own(marking: Marking) -> None:
    with Marking(choose([chapter_one()], "1.1"), limit=20, memory=4, seed="x") as other:
        other.prepare()
        assert marking.exams.truth["1.1"] != other.exams.truth["1.1"] and len(marking.seed) >= 16


@pytest.mark.needs("time")
@pytest.mark.slow
def test_what_the_graders_expect_is_not_enough(tmp_path: Path, marking: Marking) -> None:
    """An answer that has the graders' numbers by heart, and nothing else."""
    table, work = {(2, 5): 32}, MagicMock()
    work.how_many_sentences = lambda size, words: table.setdefault((size, words), size**words)
    _ = [*exams_of(chapter_one().folder)["1.1"](work, Draw("public 1.1"))]
    text = mutate(ANSWERS["by_hand"], "vocabulary_size**words", f"{table}[vocabulary_size, words]", "")
    assert grade_text(tmp_path, text, "1.1", "by_hand").status == PASSED
    result = grade_text(tmp_path, text, "1.1", "by_hand", marking=marking)
    assert result.status == FAILED and "with other numbers than the checks have: sentences, V = " in result.message


DEEP = "\n\ndef deep(x):\n    return " + " + ".join(["x"] * 1500) + "\n"


@pytest.mark.needs("time")
@pytest.mark.skipif(sys.platform != "linux", reason="names that are no text, links and pipes")
def test_whatever_is_wrong_with_a_submission_is_in_its_own_row(tmp_path: Path, marking: Marking) -> None:
    places = {name: tmp_path / "class" / name for name in ("deep", "empty", "fifo", "honest", "loop", "link", "zip")}
    places["bytes"] = Path(os.fsdecode(os.fsencode(tmp_path / "class") + b"/n\xff\n"))
    for name, folder in places.items():
        folder.mkdir(parents=True)
        if name not in ("empty", "zip"):
            write_submission(folder, ANSWERS["by_hand"] + (DEEP if name == "deep" else ""), "by_hand")
    own = chapter_one().name
    os.mkfifo(places["fifo"] / own / "counting.py")
    (places["loop"] / own / "counting.py").symlink_to("counting.py")
    (places["link"] / "exercises").symlink_to("exercises")
    write_submission(places["zip"] / "course-main" / "exercises", ANSWERS["by_hand"], "by_hand")
    write_submission(places["zip"] / "course-main" / "solutions", "", "by_hand")
    tasks = [chapter_one().tasks[number] for number in ("1.1", "1.2")]
    rows = grade_class(places.values(), tasks, marking, tmp_path, total=100)
    assert set(rows) == {*places} - {"bytes"} | {"n\\xff\\n"}
    assert {row["points"] for name, row in rows.items() if name != "empty"} == {"1"}
    assert rows["empty"]["points"] == "0" and rows["empty"]["problems"].startswith("error: nothing to grade")
    assert len(list(tmp_path.glob("results.*.json"))) == len(places)


def test_sets_are_found_as_archives_unpack(tmp_path: Path) -> None:
    exercises = chapter_one()
    for place in ("a/b/solutions", "a/b/exercises", "a/older"):
        (tmp_path / place / exercises.name).mkdir(parents=True)
    assert locate(tmp_path, exercises) == tmp_path / "a" / "b" / "exercises" / exercises.name
    (tmp_path / exercises.name).mkdir()
    assert locate(tmp_path, exercises) == tmp_path / exercises.name


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_grading_that_was_killed_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    for number in range(5):
        text = ANSWERS["by_hand"] if number % 2 else ANSWERS["by_hand"].replace("2 / 3", "1 / 3")
        write_submission(tmp_path / "class" / f"student-{number}", text, "by_hand")
    submissions = sorted(map(str, (tmp_path / "class").iterdir()))

    def command(table: str, *more: str) -> list[str]:
        flags = ["--only", "1.1", "--jobs", "1", "--csv", str(tmp_path / table), *more]
        return [sys.executable, "-m", "solutions", "grade", *submissions, *flags]

    running = subprocess.Popen(command("grades.csv"), cwd=ROOT, stdout=subprocess.PIPE, text=True)
    for line in running.stdout:
        if "[2/5]" in line:
            running.send_signal(signal.SIGKILL)
    running.wait()
    part = tmp_path / "grades.csv.part"
    assert 2 <= len(part.read_text(encoding="utf-8").splitlines()) - 1 < 5
    subprocess.run(command("grades.csv", "--resume"), cwd=ROOT, check=True, capture_output=True)
    subprocess.run(command("whole.csv"), cwd=ROOT, check=True, capture_output=True)
    resumed, whole = ((tmp_path / name).read_text("utf-8").splitlines() for name in ("grades.csv", "whole.csv"))
    assert [line.split(",")[:4] for line in resumed] == [line.split(",")[:4] for line in whole]
    assert len({line.split(",")[-1] for line in resumed[1:]}) == 1, "the exam goes on with the same seed"


@pytest.mark.needs("time")
@pytest.mark.slow
def test_files_of_the_course_that_were_changed_are_put_right(tmp_path: Path) -> None:
    tasks = choose([chapter_one()], "1.1")
    with Marking(tasks, limit=20, memory=4) as marking:
        assert marking.check_course() == []
        exams = marking.stages[1].folder / "solutions" / chapter_one().name / "exams.py"
        exams.write_text("", encoding="utf-8")
        (marking.stages[0].folder / "common" / "more.py").write_text("", encoding="utf-8")
        assert len(marking.check_course()) == 2 and marking.check_course() == []
        marking.prepare()
        assert not (marking.stages[0].folder / "common" / "more.py").exists()


LOOK_AROUND = """
import os
import numpy
found = []
for place in ("/proc", "/scratch", OUTSIDE, COURSE):
    try:
        found.append(os.listdir(place))
    except OSError:
        found.append(None)
raise ValueError(found + [os.getpid()])
"""


@pytest.mark.needs("time")
@pytest.mark.skipif(not has_bubblewrap(), reason="no bubblewrap")
def test_an_isolated_process_sees_nothing_but_python_and_the_course(tmp_path: Path, marking: Marking) -> None:
    assert marking.isolated
    top = f"OUTSIDE, COURSE = {str(tmp_path)!r}, {str(ROOT / 'exercises')!r}"
    write_submission(tmp_path, with_code(LOOK_AROUND, top))
    (task,) = choose([chapter_one()], "1.5")
    record = marking.exams.run(task, read_files(tmp_path, task.exercises)).record
    assert record[0][1]["told"] == "ValueError: [[], [], None, None, 1]" or not marking.shared


@pytest.mark.needs("time")
@pytest.mark.skipif(not FORKS, reason="a system without fork")
def test_what_ends_before_the_students_code_begins_is_done_again(
    tmp_path: Path, marking: Marking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that has no process left for a moment costs nobody a mark."""
    send, left = ForkedJob.send, [2]

    def lose(job: ForkedJob, data: bytes) -> None:
        if left[0]:
            left[0] -= 1
            job.leash.shutdown(socket.SHUT_RDWR)  # by which the server ends the copy
            job.readers[0].join(5)
        else:
            send(job, data)

    monkeypatch.setattr(ForkedJob, "send", lose)
    monkeypatch.setattr(process.time, "sleep", lambda seconds: None)
    result = grade_text(tmp_path, ANSWERS["by_hand"], "1.1", "by_hand", marking=marking)
    assert (result.status, left) == (PASSED, [0])


@pytest.mark.skipif(not FORKS, reason="no fork here")
def test_a_socket_that_is_read_waits_while_it_is_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader of a socket that does not wait takes "nothing yet" for the end: right answers would lose their marks."""
    channel, server = socket.socketpair()
    job, waits, send = ForkedJob(channel), [], socket.socket.sendall
    received = socket.recv_fds(server, 1, 3)[1]

    def watched(end: socket.socket, data: bytes) -> None:
        waits.append(os.get_blocking(end.fileno()))
        send(end, data)

    monkeypatch.setattr(socket.socket, "sendall", watched, raising=False)
    job.send(b"x")
    assert waits == [True]
    limit = job.socket.getsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, 16)
    assert struct.unpack("@ll", limit) == (int(START), 0)
    for number in received:
        os.close(number)
    job.close()
    channel.close()
    server.close()
