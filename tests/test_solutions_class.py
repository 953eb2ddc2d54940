"""A class, in every form in which students hand in, graded once: rows, marks, feedback, and imports."""

from __future__ import annotations

import csv
import re
from collections import Counter
from html import unescape
from pathlib import Path
from typing import NamedTuple

import pytest

from solutions.grading.running import grade
from solutions.grading.submission import AMBIGUOUS
from tests.programs import run_python
from tests.submissions import ANSWERS, chapter_one, notebook, read_rows, write_submission, zip_of

pytestmark = [pytest.mark.needs("time"), pytest.mark.slow]
ONE = chapter_one()
SET, RIGHT, BLANK = ONE.name, ANSWERS["by_hand"], ONE.stubs["by_hand"]
WRONG = RIGHT.replace("return 2 / 3", "print('<b>')\n    return 0.5")
LATE = {"plain": "2026-10-14T00:00", "clone": "2026-10-13T00:00:01", "wrong": "2026-10-30T12:00"}
DEADLINE = "2026-10-12T23:59:59"


class Form(NamedTuple):
    """How a student hands in: what is written, the mark in 1.1, and what the row says."""

    write: object
    points: str
    problems: str = ""


def written(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def in_set(place: str, text: str = RIGHT):
    return lambda folder: write_submission(folder / place, text, "by_hand")


def both(*writers):
    return lambda folder: [write(folder) for write in writers]


def archive(name: str, *members: str, **others: str):
    return lambda folder: zip_of(folder / name, dict.fromkeys(members, RIGHT) | others)


MAC = {f"__MACOSX/mac/{SET}/._by_hand.py": "\0\5", "mac/.DS_Store": "\0"}
FORMS = {
    "plain": Form(in_set("plain"), "1"),
    "clone": Form(both(in_set("clone/exercises"), in_set("clone/solutions", BLANK)), "1"),
    "windows": Form(archive("windows.zip", f"course\\exercises\\{SET}\\by_hand.py"), "1"),
    "mac": Form(archive("mac.zip", f"mac/{SET}/by_hand.py", **MAC), "1"),
    "alice": Form(lambda folder: written(folder / "alice.py", RIGHT), "1", "alice.py was marked"),
    "bob": Form(lambda folder: written(folder / "bob.ipynb", notebook(RIGHT)), "1", "bob.ipynb was marked"),
    "loose": Form(lambda folder: written(folder / "loose" / "my work.py", RIGHT), "1", "my work.py was marked"),
    "mona": Form(archive("Mona O\u0308de_4711_assignsubmission_file_/work.zip", f"{SET}/by_hand.py"), "1"),
    "canvas": Form(archive("doecan_LATE_CANVAS_99_work.zip", f"{SET}/by_hand.py"), "1"),
    "gil": Form(archive("Team 7.zip", f"{SET}/by_hand.py"), "1"),
    "gus": Form(lambda folder: None, "1"),  # in the same team
    "twice": Form(both(in_set("twice/v1", BLANK), in_set("twice/v2")), "1", f"v2/{SET} was marked; v1/{SET} is blank"),
    "rival": Form(both(in_set("rival/exercises"), in_set("rival/backup", WRONG)), "1", f"{AMBIGUOUS}{SET}, by_hand.py"),
    "wrong": Form(in_set("wrong", WRONG), "0", "1.1 in probability_of_goat: c(h) is how often"),
    "ghost": Form(lambda folder: None, "0", "handed in nothing"),
    "several": Form(both(in_set("several"), archive("several (1).zip", f"{SET}/by_hand.py")), "0", "error: several"),
}
OTHERS = {
    "broken": Form(lambda folder: (folder / "broken.zip").write_bytes(b"PK\3\4 no more"), "0", "error: not a zip file"),
    "stranger": Form(lambda folder: written(folder / "stranger.py", RIGHT), "1", "stranger.py was marked"),
}
"""Those who are not on the roster."""


class Graded(NamedTuple):
    folder: Path
    status: int
    errors: list[str]

    def table(self, name: str) -> list[list[str]]:
        with open(self.folder / name, encoding="utf-8", newline="") as file:
            return list(csv.reader(file))

    @property
    def rows(self) -> dict[str, dict[str, str]]:
        return read_rows(self.folder / "grades.csv")

    def feedback(self, name: str) -> str:
        return (self.folder / "feedback" / name).read_text("utf-8")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    folder = tmp_path_factory.mktemp("term")
    for form in (FORMS | OTHERS).values():
        form.write(folder / "class")
    (folder / "class" / "__MACOSX").mkdir()
    names = {"mona": "Mona \u00d6de", "plain": "=1+1"}
    teams = dict.fromkeys(("gil", "gus"), "team 7")
    lines = [
        f"{name};{names.get(name, '')};{teams.get(name, '')};{LATE.get(name, DEADLINE)};{'0' * (name == 'clone')}"
        for name in FORMS
    ]
    roster = "\r\n".join(["\ufeffID;Name;Group;Submitted;Free", *lines, ";;;;", ""])
    (folder / "roster.csv").write_text(roster, encoding="utf-8", newline="")
    flags = {"--only": "1.1", "--roster": folder / "roster.csv", "--jobs": 2}
    flags |= {"--deadline": DEADLINE, "--penalty": 10, "--free": 1}
    files = {"csv": "grades.csv", "feedback": "feedback", "moodle": "moodle.csv", "canvas": "canvas.csv"}
    flags |= {f"--{flag}": folder / name for flag, name in files.items()}
    words = [f"{flag}={value}" for flag, value in flags.items()]
    done = run_python("-m", "solutions", "grade", str(folder / "class" / "*"), *words)
    return Graded(folder, done.returncode, done.stderr.splitlines())


def test_every_student_has_a_row_and_the_right_mark(graded: Graded) -> None:
    rows = graded.rows
    assert [*rows] == [*FORMS, *OTHERS], "in the roster's order, then those who are not on it"
    for name, form in (FORMS | OTHERS).items():
        assert rows[name]["points"] == form.points, rows[name]
        assert (form.problems in rows[name]["problems"]) if form.problems else not rows[name]["problems"], rows[name]


def test_late_days_cost(graded: Graded) -> None:
    """The second day, since the first is free; for whom no day is free the first, begun a second after the deadline."""
    late = {name: (row["days late"], row["mark"]) for name, row in graded.rows.items() if row["days late"] != "0"}
    assert late == {
        "plain": ("2", "0.9"),
        "clone": ("1", "0.9"),
        "wrong": ("18", "0"),
        "broken": ("", "0"),
        "stranger": ("", "1"),
    }


def test_what_a_person_must_check_is_told_in_a_line_each(graded: Graded) -> None:
    lines = graded.errors
    assert graded.status == 1
    told = [line for line in lines if line.startswith("check: ")]
    assert sorted(line.split(": ")[1] for line in told) == ["broken", "rival", "several", "stranger"]
    assert "check: stranger: not on the roster" in told
    assert any("several submissions: " in line and "several (1).zip; keep one" in line for line in told)
    assert any(f"rival: {AMBIGUOUS}" in line and "NOT marked" in line for line in told)
    assert lines[-2:] == ["handed in nothing: ghost", "could not be graded: broken, several"]


def test_moodle_imports_it(graded: Graded) -> None:
    """Everybody on the roster and nobody else; of who could not be graded neither points nor feedback."""
    header, *rows = graded.table("moodle.csv")
    assert header == ["ID number", "Full name", "Exercises 1.1", "Exercises 1.1 (Feedback)"]
    assert [row[0] for row in rows] == [*FORMS] and {len(row) for row in rows} == {4}
    by_name = {row[0]: row for row in rows}
    assert by_name["plain"][1:3] == ["=1+1", "0.9"] and by_name["ghost"][2:] == ["0", "handed in nothing"]
    assert by_name["several"][2:] == ["", ""]
    assert not any(str(graded.folder) in row[3] for row in rows)


def test_canvas_imports_it(graded: Graded) -> None:
    header, points, *rows = graded.table("canvas.csv")
    assert header == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Exercises 1.1"]
    assert points == ["    Points Possible", "", "", "", "", "1"]
    assert [row[2] for row in rows] == [row[3] for row in rows] == [*FORMS] and {row[1] for row in rows} == {""}
    by_name = {row[2]: row for row in rows}
    assert by_name["gil"][4:] == ["team 7", "1"] and by_name["wrong"][5] == "0" and by_name["several"][5] == ""
    assert by_name["mona"][0] == "Mona \u00d6de"


def test_feedback_can_be_sent(graded: Graded) -> None:
    """A text and a page with the same words; the page needs nothing else, and fits a telephone."""
    paths = [*(graded.folder / "feedback").iterdir()]
    assert {path.name for path in paths} == {f"{name}.{kind}" for name in FORMS | OTHERS for kind in ("txt", "html")}
    for name in FORMS | OTHERS:
        page = graded.feedback(f"{name}.html")
        opened, closed = (Counter(re.findall(rf"<{slash}(?!meta)([a-z]+\d?)", page)) for slash in ("", "/"))
        assert opened == closed and not re.search(r"<(script|link|img|a)\b|url|http|@import", page)
        assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page
        text = unescape(re.sub(r"(?s)<(style|title)>.*?</\1>|<[^>]*>", " ", page))
        assert text.split() == [word for word in graded.feedback(f"{name}.txt").split() if word != "|"]
    assert graded.feedback("plain.txt").startswith(
        "Feedback for =1+1\n1 of 1 points\n2 days late, 1 of them with a penalty: 0.9 of 1 points\n"
    )


def test_feedback_is_what_a_check_says(graded: Graded) -> None:
    """With what the code printed, and without anything of the answer."""
    (own,) = grade(graded.folder / "class" / "wrong", [ONE.tasks["1.1"]])
    assert own.status == "failed" and own.message in graded.feedback("wrong.txt")
    assert "| <b>" in graded.feedback("wrong.txt") and "&lt;b&gt;" in graded.feedback("wrong.html")
    given = {line.strip() for line in BLANK.splitlines()}
    answer = {line.strip() for line in RIGHT.splitlines()} - given
    assert answer and not any(line in graded.feedback("wrong.txt") for line in answer)
