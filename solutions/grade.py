"""`python -m solutions grade`: a whole class, a process a student, as many at once as there are cores."""

from __future__ import annotations

import argparse
import csv
import glob
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError
from common.files import atomic_write, write_json
from solutions.execution import FAILED, NOT_ATTEMPTED, PASSED
from solutions.process import LIMIT, MEMORY, Worker
from solutions.reading import look_twice, read_files
from solutions.running import TOTAL, TaskResult, grade
from solutions.sets import SOLUTIONS, ExerciseSet, Task, choose, find_sets
from solutions.stubs import is_answer

Tasks = list[tuple[ExerciseSet, Task]]


@dataclass(frozen=True)
class Report:
    """One submission, graded."""

    name: str
    results: list[TaskResult]
    strange: list[str]
    seconds: float

    @property
    def score(self) -> float:
        return sum(result.score for result in self.results)

    @property
    def points(self) -> float:
        return sum(result.points for result in self.results)


def add_arguments(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser("grade", help="grade submissions: a table for the class, a file a student")
    parser.add_argument("submissions", nargs="+", metavar="DIR", help="a student's folder each")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="a table, a line a student")
    parser.add_argument(
        "--gradescope", type=Path, metavar="FILE", help="JSON for an autograder; FILE.NAME.json of many"
    )
    parser.add_argument("--only", default="", metavar="WHICH", help="only a chapter (6) or an exercise (6.2)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="students at once")
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="SECONDS", help="for one grader")
    parser.add_argument("--total", type=float, default=TOTAL, metavar="SECONDS", help="for one student")
    parser.add_argument("--memory", type=float, default=MEMORY, metavar="GB", help="for one student (Linux)")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> None:
    """Grade, tell, write. Raises `UserError` where the answers themselves do not pass: then nothing is graded."""
    folders = list(find_folders(arguments.submissions))
    tasks = choose(find_sets(), arguments.only)
    limits = {name: getattr(arguments, name) for name in ("limit", "total", "memory")}
    check_installation(tasks, limits)
    reports = grade_all(folders, tasks, max(arguments.jobs, 1), limits)
    if arguments.csv:
        write_table(arguments.csv, reports, tasks)
        print(f"wrote {arguments.csv}")
    if arguments.gradescope:
        for report in reports:
            path = arguments.gradescope
            if len(reports) > 1:
                path = path.with_name(f"{path.stem}.{file_name(report.name)}{path.suffix}")
            write_json(path, for_autograder(report))
            print(f"wrote {path}")


def find_folders(patterns: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Names and folders of submissions. Patterns that the shell left alone (on Windows) are expanded here."""
    expanded = [path for pattern in patterns for path in (sorted(glob.glob(pattern)) or [pattern])]
    folders = [Path(path) for path in expanded]
    good = [path for path in folders if path.is_dir()]
    for path in folders:
        if path not in good:
            print(f"{path}: no folder; left out", file=sys.stderr)
    if not good:
        raise UserError(f"{patterns[0]}: there is no folder to grade; give the folder of a submission, or of each")
    names = [path.resolve().name for path in good]
    for path, name in zip(good, names, strict=True):
        yield (name if names.count(name) == 1 else path.as_posix()), path


def check_installation(tasks: Tasks, limits: dict[str, float]) -> None:
    """Grade the answers as a submission first: where they fail, graders or machine are broken, and not the students."""
    if not all(is_answer(one.answers[task.file]) for one, task in tasks):
        raise UserError("this edition has no answers, so its grades could be forged; grade with the instructor's own")
    wrong = [result for result in grade(SOLUTIONS, tasks, **limits) if result.status != PASSED]
    if wrong:
        raise UserError(f"the answer to {wrong[0].task.number} itself fails: {wrong[0].message}; nothing was graded")


def grade_all(folders: list[tuple[str, Path]], tasks: Tasks, jobs: int, limits: dict[str, float]) -> list[Report]:
    """The reports in the order of the folders, with a line for each student as it comes."""
    reports: dict[str, Report] = {}
    pool = ThreadPoolExecutor(jobs)
    try:
        waiting = [pool.submit(grade_one, name, folder, tasks, limits) for name, folder in folders]
        for number, future in enumerate(as_completed(waiting), start=1):
            report = future.result()
            reports[report.name] = report
            look = f", {len(report.strange)} lines to look at" if report.strange else ""
            told = f"{report.score:g} of {report.points:g} points in {report.seconds:.0f} s{look}"
            print(f"[{number:{len(str(len(folders)))}}/{len(folders)}] {report.name}: {told}", flush=True)
    except KeyboardInterrupt:
        Worker.end_all()
        print("\ninterrupted; nothing was written", file=sys.stderr)
        os._exit(130)  # threads that wait for students' processes would not let a plain exit through
    pool.shutdown()
    return [reports[name] for name, _ in folders]


def grade_one(name: str, folder: Path, tasks: Tasks, limits: dict[str, float]) -> Report:
    """Grade one submission."""
    started = time.monotonic()
    sets = {one.name: one for one, _ in tasks}.values()
    strange = [line for one in sets for line in look_twice(one, read_files(folder, one))]
    results = grade(folder, tasks, **limits)
    return Report(name, results, strange, time.monotonic() - started)


def write_table(path: Path, reports: Sequence[Report], tasks: Tasks) -> None:
    """A line a student: points, those of each exercise ("" where it was not attempted), what was wrong, what is odd."""
    with atomic_write(path) as file:
        table = csv.writer(file, lineterminator="\n")
        numbers = [task.number for _, task in tasks]
        table.writerow(["student", "points", "of", *numbers, "problems", "look at", "seconds"])
        for report in reports:
            scores = ["" if one.status == NOT_ATTEMPTED else f"{one.score:g}" for one in report.results]
            problems = [f"{one.task.number} {one.message}" for one in report.results if one.status == FAILED]
            texts = [harmless(" | ".join(problems)), harmless(" | ".join(report.strange))]
            row = [harmless(report.name), f"{report.score:g}", f"{report.points:g}", *scores, *texts]
            table.writerow([*row, f"{report.seconds:.1f}"])


def file_name(name: str) -> str:
    """A student's name, which may be a whole path where two folders are alike, as a part of a file's name anywhere."""
    return re.sub(r"[/\\:]+", "-", name)


def harmless(text: str) -> str:
    """A cell that no spreadsheet takes for a formula: names and messages come from students."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def for_autograder(report: Report) -> dict:
    """The results.json that Gradescope reads."""
    tests = [
        {
            "name": f"{result.task.number} {result.task.title}",
            "score": result.score,
            "max_score": result.points,
            "status": "passed" if result.status == PASSED else "failed",
            "output": result.message or result.status,
            "visibility": "visible",
        }
        for result in report.results
    ]
    return {
        "score": report.score,
        "execution_time": round(report.seconds),
        "stdout_visibility": "hidden",
        "tests": tests,
    }
