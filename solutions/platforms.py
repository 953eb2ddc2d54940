"""Marks as the learning platforms import them, by the roster's identifiers.

Moodle (Grades, Import, CSV file): the first line names the columns, which the instructor maps to fields. A student is
found by ID number, and a line of somebody unknown stops the whole import. Canvas (Gradebook, Import): Student, ID, SIS
User ID, SIS Login ID and Section come before the assignment's column, a second line has the points possible, and an
assignment is found by its title.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import NamedTuple

from common.files import atomic_write
from solutions.roster import Roster, Student


class Grade(NamedTuple):
    """points and problems are "" where a submission could not be graded: nothing is imported of it."""

    points: str
    problems: str


Grades = Mapping[str, Grade]
"""Of the students, by their ids."""


def for_moodle(students: list[Student], grades: Grades, title: str, points: float) -> Iterator[list[str]]:
    """Feedback is HTML there: an end of sentence, </s>, must not strike out the rest."""
    yield ["ID number", "Full name", title, f"{title} (Feedback)"]
    for student in students:
        grade = grades[student.id]
        yield [student.id, student.name, grade.points, escape(grade.problems, quote=False)]


def for_canvas(students: list[Student], grades: Grades, title: str, points: float) -> Iterator[list[str]]:
    """ID is Canvas's own number and stays empty: any other number there could be another student's."""
    yield ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", title]
    yield ["    Points Possible", "", "", "", "", f"{points:g}"]
    for student in students:
        yield [student.name or student.id, "", student.id, student.id, student.group, grades[student.id].points]


PLATFORMS: dict[str, Callable[[list[Student], Grades, str, float], Iterator[list[str]]]] = {
    "moodle": for_moodle,
    "canvas": for_canvas,
}


def write_grades(platform: str, path: Path, roster: Roster, grades: Grades, title: str, points: float) -> None:
    """Write the file that a platform imports."""
    with atomic_write(path) as file:
        rows = PLATFORMS[platform]([*roster.students.values()], grades, title, points)
        csv.writer(file, lineterminator="\n").writerows(rows)
