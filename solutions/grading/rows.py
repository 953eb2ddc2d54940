"""What is written of a class: a line a student, as they come, so that a grading that was stopped can go on; and a file
for each, for an autograder.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from common.errors import UserError
from common.files import atomic_write, reading
from solutions.grading.execution import NOT_ATTEMPTED, PASSED
from solutions.grading.running import TaskResult
from solutions.grading.submission import AMBIGUOUS
from solutions.platforms import Grade
from solutions.roster import MISSING, SEVERAL, Roster
from solutions.sets import Task

ERROR = "error: "
"""Begins the problems of a submission that could not be graded at all."""


@dataclass(frozen=True)
class Report:
    """One submission, graded. error: why it could not be, where it could not. remarks: what was ambiguous in it."""

    name: str
    results: list[TaskResult]
    strange: list[str] = field(default_factory=list)
    seconds: float = 0.0
    error: str = ""
    remarks: list[str] = field(default_factory=list)

    @property
    def score(self) -> float:
        return sum(result.score for result in self.results)


def as_json(report: Report, number: int) -> str:
    """A report as a line of JSON. number: of the submission, in the order in which they were given, from 0."""
    results = [[result.task.number, result.status, result.message, result.printed] for result in report.results]
    return json.dumps({"number": number, **vars(report), "results": results})


def from_json(line: str, names: Sequence[str], tasks: Sequence[Task]) -> Report:
    """What `as_json` has written, of the submission that is called by one of these names here."""
    record = json.loads(line)
    tasks_by_number = {task.number: task for task in tasks}
    name = names[record.pop("number")]
    results = [
        TaskResult(tasks_by_number[number], status, message, printed=printed)
        for number, status, message, printed in record["results"]
    ]
    return Report(**{**record, "name": name, "results": results})


class Table:
    """The rows of a class: FILE.part grows row by row, and becomes FILE, in the class's order, when all are there."""

    def __init__(self, path: Path, tasks: Sequence[Task], resume: bool, roster: Roster | None = None):
        """roster: adds columns. Raises `UserError` where rows of an unfinished grading are there and it shall not go
        on.
        """
        self.path, self.part = path, path.with_name(path.name + ".part")
        self.numbers = [task.number for task in tasks]
        self.points = sum(task.points for task in tasks)
        self.roster = roster
        names, late = ["name"] if roster else [], ["days late", "mark"] if roster and roster.deadline else []
        about = ["problems", "look at", "seconds", "exam"]
        self.header = ["student", *names, "points", "of", *self.numbers, *late, *about]
        self.done: set[str] = set()
        self.seed, self.lock = "", threading.Lock()
        if self.part.exists() and not resume:
            raise UserError(f"{self.part} has the rows of an unfinished grading; continue with --resume, or remove it")
        rows = self.read(self.part if self.part.exists() else self.path) if resume else []
        problems = {row[0]: row[self.header.index("problems")] for row in rows}
        self.done = {name for name, text in problems.items() if not text.startswith((MISSING, ERROR + SEVERAL))}
        self.failed = {name for name, text in problems.items() if text.startswith(ERROR)}
        self.ambiguous = {name: ambiguous_in(text.split(" | ")) for name, text in problems.items()}
        self.seed = rows[0][-1] if rows else ""
        with atomic_write(self.part) as file:
            csv.writer(file, lineterminator="\n").writerows([self.header, *rows])

    def read(self, path: Path) -> list[list[str]]:
        """The whole rows of a table, the newest of each student; the last one may have been cut off.

        Raises `UserError` for another table.
        """
        if not path.exists():
            return []
        broken = "no table of grades in UTF-8; remove it, or leave --resume out"
        with reading(path, broken, broken):
            whole, _, _ = path.read_text(encoding="utf-8").rpartition("\n")
            rows = list(csv.reader(io.StringIO(whole)))
        if rows and rows[0] != self.header:
            raise UserError(f"{path} does not have the columns of this grading; it cannot be resumed")
        return list({row[0]: row for row in rows[1:] if len(row) == len(self.header)}.values())

    def add(self, report: Report, seed: str) -> None:
        """Write a student's row, at once and for good."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerow([*self.row(report), seed])
        try:
            with self.lock, open(self.part, "a", encoding="utf-8", newline="") as file:
                file.write(text.getvalue())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise UserError(
                f"cannot write {self.part}: {error.strerror}; free some space, then continue with --resume"
            ) from None

    def row(self, report: Report) -> list[str]:
        """Points, those of each exercise ("" where it was not attempted), what was wrong, what is odd."""
        scores = ["" if result.status == NOT_ATTEMPTED else f"{result.score:g}" for result in report.results]
        wrong = [result for result in report.results if result.message and result.status != NOT_ATTEMPTED]
        messages = [f"{result.task.number} {result.message}" for result in wrong]
        problems = [f"{ERROR}{report.error}"] if report.error else [*report.remarks, *messages]
        cells = [f"{report.score:g}", f"{self.points:g}", *scores]
        if self.roster:
            name, mark = self.roster.about(report.name, report.score)
            cells.insert(0, harmless(name))
            if self.roster.deadline:
                cells += [str(mark.days), f"{mark.points:g}"] if mark else ["", f"{report.score:g}"]
        texts = [harmless(" | ".join(lines)) for lines in (problems, report.strange)]
        return [harmless(report.name), *cells, *texts, f"{report.seconds:.1f}"]

    def grades(self) -> dict[str, Grade]:
        """What a learning platform gets of each student of the roster, once the table is finished."""
        rows = {row[0]: dict(zip(self.header, row, strict=True)) for row in self.read(self.path)}
        grades = {}
        for name in self.roster.students:
            row = rows[harmless(name)]
            failed = row["problems"].startswith(ERROR)
            grades[name] = Grade("", "") if failed else Grade(row.get("mark", row["points"]), row["problems"])
        return grades

    def finish(self, names: Iterable[str]) -> None:
        """All rows in the requested file: these students' in this order, then what a resumed table had of others."""
        rows = {row[0]: row for row in self.read(self.part)}
        own_rows = [rows.pop(cell) for cell in map(harmless, names) if cell in rows]
        with atomic_write(self.path) as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(self.header)
            table.writerows([*own_rows, *rows.values()])
        self.part.unlink()


def ambiguous_in(remarks: Iterable[str]) -> list[str]:
    """Those that a person must check."""
    return [remark for remark in remarks if remark.startswith(AMBIGUOUS)]


def harmless(text: str) -> str:
    """A cell that no spreadsheet takes for a formula: names and messages come from students. Always one line; no two
    names have the same."""
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "'")) else text


def file_names(names: Sequence[str]) -> dict[str, str]:
    """For each student's name, which may be a whole path, a part of a file's name: legal anywhere, and no two alike."""
    unique_names: dict[str, str] = {}
    used: set[str] = set()
    for name in names:
        plain = re.sub(r'[/\\:*?"<>|\s]+', "-", name)[:100] or "-"
        unique, number = plain, 1
        while unique.casefold() in used:
            number += 1
            unique = f"{plain}~{number}"
        used.add(unique.casefold())
        unique_names[name] = unique
    return unique_names


def for_autograder(report: Report) -> dict:
    """The results.json that Gradescope reads."""
    tests = [
        {
            "name": f"{result.task.number} {result.task.title}",
            "score": result.score,
            "max_score": result.points,
            "status": "passed" if result.status == PASSED else "failed",
            "output": (result.message or result.status) + (f"\nit printed:\n{result.output}" if result.output else ""),
            "visibility": "visible",
        }
        for result in report.results
    ]
    return {
        "score": report.score,
        "execution_time": round(report.seconds),
        "stdout_visibility": "hidden",
        "output": report.error or "\n".join(report.remarks),
        "tests": tests,
    }
