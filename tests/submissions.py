"""Invented submissions: the answer to exercise 1.5 with something done to it."""

from __future__ import annotations

import csv
import json
import zipfile
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path

from solutions.collecting import find_submissions
from solutions.grade import Grading
from solutions.grading.marking import Marking
from solutions.grading.rows import Table
from solutions.grading.running import TaskResult, grade
from solutions.roster import plan
from solutions.sets import ExerciseSet, Task, choose, find_sets
from solutions.stubs import mutate

LINE = "        return math.exp(-log_prob / predictions)\n"
FIRST = "    try:\n" + LINE
"""The first statements of the answer's `perplexity`."""


def chapter_one() -> ExerciseSet:
    return find_sets()[0]


def without_marks(text: str) -> str:
    """An answer as a student would have written it."""
    return "".join(line for line in text.splitlines(keepends=True) if "SOLUTION" not in line)


ANSWERS = {name: without_marks(text) for name, text in chapter_one().answers.items()}
"""Those of chapter 1."""


def write_submission(folder: Path, text: str, file: str = "perplexity") -> Path:
    """A submission that holds one file of chapter 1."""
    path = folder / "ch01_ngram_lm" / f"{file}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return folder


def with_code(inside: str = "", top: str = "") -> str:
    """The answer to 1.5 with statements at the beginning of `perplexity`, and at the end of the file."""
    text = chapter_one().answers["perplexity"]
    indented = "".join(f"    {line}\n" for line in inside.splitlines())
    return mutate(text, FIRST, indented + FIRST, "perplexity.py") + f"\n\n{top}\n"


def line_of(text: str, part: str) -> int:
    """The line in which a part stands, counted from 1."""
    (number,) = [number for number, line in enumerate(text.splitlines(), start=1) if part in line]
    return number


def grade_text(folder: Path, text: str, which: str = "1.5", file: str = "perplexity", **options) -> TaskResult:
    """Grade one task of a submission that holds one file."""
    (result,) = grade(write_submission(folder, text, file), choose([chapter_one()], which), **options)
    return result


def grade_class(
    students: Iterable[Path], tasks: list[Task], marking: Marking, results: Path, total: float
) -> dict[str, dict[str, str]]:
    """Grade a class, and give the row of each student; the files are in `results`. total: seconds for a student."""
    folders = list(find_submissions([str(path) for path in students]))
    table = Table(results / "grades.csv", tasks, resume=False)
    files = {"gradescope": results / "results.json", "feedback": None, "json": False}
    arguments = Namespace(jobs=2, limit=marking.limit, total=total, **files)
    Grading(plan(folders, None), tasks, marking, table, arguments, marking.seed).run()
    table.finish(name for name, _ in folders)
    return read_rows(results / "grades.csv")


def read_rows(path: Path) -> dict[str, dict[str, str]]:
    """The rows of a table of grades, by student."""
    with open(path, encoding="utf-8", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def zip_of(path: Path, files: dict[str, str], attributes: int = 0) -> Path:
    """A zip file with these members. attributes: as the system keeps them, the mode in its upper half."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            info = zipfile.ZipInfo("x")
            info.filename = name  # a backslash stays one
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, attributes
            archive.writestr(info, text)
    return path


def notebook(code: str) -> str:
    """A notebook with this code, after a cell of text and one of commands."""
    cells = [{"cell_type": "markdown", "source": ["# text"]}, {"cell_type": "code", "source": ["%time 1\n", "!ls\n"]}]
    cells.append({"cell_type": "code", "source": code.splitlines(keepends=True)})
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
