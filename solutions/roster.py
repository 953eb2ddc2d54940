"""Who takes the course (`--roster FILE`), which submission is whose, and what a late day costs."""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from common.errors import UserError
from common.files import reading
from solutions.collecting import name_of
from solutions.grading.reading import show_path
from solutions.grading.submission import plain

MISSING = "handed in nothing"
"""The problem of a student on the roster without a submission."""
SEVERAL = "several submissions: "
"""Begins the error of a student of whom there are several submissions."""
Submissions = Sequence[tuple[str, Path]]
"""Submissions by their names."""


class Student(NamedTuple):
    """A line of the roster. submitted: when the student handed in. free: late days of the student's own, or None."""

    id: str
    name: str = ""
    group: str = ""
    submitted: datetime | None = None
    free: int | None = None


class Mark(NamedTuple):
    """days: late ones, of which so many are `charged`. points: what is left."""

    days: int
    charged: int
    points: float


@dataclass(frozen=True)
class Roster:
    """The students by their ids. penalty: percent of the points for each late day, but for the `free` first ones."""

    students: dict[str, Student]
    deadline: datetime | None = None
    penalty: float = 0.0
    free: int = 0

    def mark(self, name: str, points: float) -> Mark | None:
        """What a student's points become; None without a deadline, or for nobody on the roster."""
        student = self.students.get(name)
        if self.deadline is None or student is None:
            return None
        late = (student.submitted or self.deadline) - self.deadline
        days = max(math.ceil(late / timedelta(days=1)), 0)
        charged = max(days - (self.free if student.free is None else student.free), 0)
        return Mark(days, charged, round(points * max(1 - charged * self.penalty / 100, 0), 2))

    def about(self, name: str, points: float) -> tuple[str, Mark | None]:
        """What the student is called, and the mark."""
        student = self.students.get(name)
        return (student.name if student else "") or name, self.mark(name, points)

    def owners(self, name: str) -> list[tuple[str, ...]]:
        """Those to whom a submission may belong by its name: a student, or all of a group. Where the whole name is none
        of theirs, its parts are compared, since platforms add numbers: "Ada Lovelace_123_assignsubmission_file".
        """
        for words in ([name], name.split("_")):
            keys = [key_of(word) for word in words]
            for names in self.names:
                found = [owners for key in keys for owners in names.get(key, ())]
                if found:
                    return list(dict.fromkeys(found))
        return []

    @cached_property
    def names(self) -> tuple[dict[str, list[tuple[str, ...]]], ...]:
        """The owners by an id, by the name of a group, and by a full name, which several students may have."""
        members: dict[str, list[str]] = {}
        full: dict[str, list[tuple[str, ...]]] = {}
        for student in self.students.values():
            if student.group:
                members.setdefault(key_of(student.group), []).append(student.id)
            if student.name:
                full.setdefault(key_of(student.name), []).append((student.id,))
        groups = {key: [tuple(ids)] for key, ids in members.items()}
        return {key_of(name): [(name,)] for name in self.students}, groups, full


def key_of(name: str) -> str:
    """A name without what systems change in it: letter case, composed letters, spaces, the ending of a copy."""
    return " ".join(plain(unicodedata.normalize("NFKC", name)).casefold().split())


def read_roster(path: Path, deadline: str = "", penalty: float = 0.0, free: int = 0) -> Roster:
    """Read a CSV with a column `id`, and perhaps name, group, submitted, free. Raises `UserError` for any other."""
    if not (math.isfinite(penalty) and 0 <= penalty <= 100):
        raise UserError(f"--penalty {penalty:g}: must be from 0 to 100, in percent of the points")
    if free < 0:
        raise UserError(f"--free {free}: must not be negative")
    columns, lines = lines_of(path)
    if "id" not in columns:
        raise UserError(f"{path}, line 1: there is no column id; the columns are id, name, group, submitted, free")
    due = time_of(deadline, "--deadline") if deadline else None
    if due and "submitted" not in columns:
        raise UserError(f"{path}: --deadline needs a column `submitted`: when each student handed in")
    students: dict[str, Student] = {}
    keys: set[str] = set()
    for number, cells in lines:
        place = f"{path}, line {number}"
        student = student_of(cells, place)
        if not student.id or key_of(student.id) in keys:
            raise UserError(f"{place}: {f'{student.id} is listed twice' if student.id else 'the id is missing'}")
        if due and student.submitted and (student.submitted.tzinfo is None) != (due.tzinfo is None):
            raise UserError(f"{place}: of `submitted` and --deadline, one has a time zone and the other has none")
        students[student.id] = student
        keys.add(key_of(student.id))
    if not students:
        raise UserError(f"{path}: no students are listed")
    return Roster(students, due, penalty, free)


def lines_of(path: Path) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """The columns of a CSV, and its lines but for empty ones, each with its number. Spreadsheets separate columns by
    commas or semicolons. Raises `UserError` where it cannot be read.
    """
    with reading(path, "no such file; give the roster as CSV", "not a CSV file in UTF-8; save it as CSV UTF-8"):
        text = path.read_text(encoding="utf-8-sig")
        first = text.partition("\n")[0]
        rows = csv.reader(io.StringIO(text), delimiter=";" if first.count(";") > first.count(",") else ",")
        columns = [cell.strip().lower() for cell in next(rows, [])]
        lines = [(rows.line_num, [cell.strip() for cell in row]) for row in rows]
    return columns, [(number, dict(zip(columns, row, strict=False))) for number, row in lines if any(row)]


def student_of(cells: dict[str, str], place: str) -> Student:
    """A student from the cells of a line. Raises `UserError` for a time or a number that is none."""
    submitted, free = cells.get("submitted", ""), cells.get("free", "")
    if free and not re.fullmatch(r"\d{1,3}", free):
        raise UserError(f"{place}: free {free!r} is not a number of days")
    names = (cells.get(column, "") for column in ("id", "name", "group"))
    return Student(*names, time_of(submitted, place) if submitted else None, int(free) if free else None)


def time_of(text: str, place: str) -> datetime:
    """A time as ISO 8601 writes it. Raises `UserError` for any other."""
    try:
        return datetime.fromisoformat(re.sub("[zZ]$", "+00:00", text.strip()))
    except ValueError:
        raise UserError(f"{place}: {text!r:.40} is not a time; write it as 2026-10-12T23:59") from None


@dataclass
class ClassPlan:
    """What is graded: for each row its name and the submission. order: all rows, also of those without a submission.

    doubts: a line for each choice that a person must check. missing: students who handed in nothing. several: students
    of whom there are several submissions, each with the reason why none is graded.
    """

    submissions: list[tuple[str, Path]] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    several: dict[str, str] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)


def plan(submissions: Submissions, roster: Roster | None) -> ClassPlan:
    """Whose submission is which. With a roster each of its students has a row, then come the submissions of others."""
    if roster is None:
        return ClassPlan([*submissions], [*alike(submissions)], order=[name for name, _ in submissions])
    planned = ClassPlan()
    own: dict[str, list[Path]] = {name: [] for name in roster.students}
    others: list[tuple[str, Path]] = []
    for name, path in submissions:
        owners = roster.owners(name_of(path))
        for student in owners[0] if len(owners) == 1 else ():
            own[student].append(path)
        if len(owners) != 1:
            others.append((name, path))
            who = " or ".join(", ".join(names) for names in owners)
            planned.doubts.append(f"{name}: may belong to {who}; rename it" if who else f"{name}: not on the roster")
    for student, paths in own.items():
        if len(paths) == 1:
            planned.submissions.append((student, paths[0]))
            if roster.deadline and roster.students[student].submitted is None:
                planned.doubts.append(f"{student}: no time of submission in the roster; counted as in time")
        elif paths:
            listed = " and ".join(show_path(path) for path in paths)
            planned.several[student] = f"{SEVERAL}{listed}; keep one, or put their files into one folder"
            planned.doubts.append(f"{student}: {planned.several[student]}")
        else:
            planned.missing.append(student)
    planned.submissions += others
    planned.order = [*own, *(name for name, _ in others)]
    return planned


def alike(submissions: Submissions) -> Iterator[str]:
    """A line for each name that several submissions have, but for letter case and the ending of a copy."""
    keys = [key_of(name_of(path)) for _, path in submissions]
    for key, number in Counter(keys).items():
        if number > 1:
            paths = [show_path(path) for own, (_, path) in zip(keys, submissions, strict=True) if own == key]
            yield f"{number} submissions of one name, each with a row: {' and '.join(paths)}"
