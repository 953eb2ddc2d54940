"""`python -m solutions grade`: a whole class, as many students at once as there are cores, or on a cluster."""

from __future__ import annotations

import argparse
import math
import os
import secrets
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

from common.endings import end_process
from common.errors import UserError
from common.executor import MOST_JOBS, Cluster, completed, open_executor, scheduler_argument
from common.files import write_json
from common.text.vocab import counted
from solutions.collecting import find_submissions
from solutions.feedback import FORMS, without_place, write_feedback
from solutions.grading.execution import FAILED, NOT_ATTEMPTED
from solutions.grading.marking import Marking
from solutions.grading.members import CannotRead
from solutions.grading.process import LIMIT, MEMORY, Server
from solutions.grading.reading import look_twice, printable
from solutions.grading.rows import Report, Table, ambiguous_in, as_json, file_names, for_autograder, harmless
from solutions.grading.running import TOTAL, TaskResult, grade
from solutions.grading.submission import read_submission
from solutions.groups import FENCE, grade_groups
from solutions.platforms import PLATFORMS, write_grades
from solutions.roster import MISSING, ClassPlan, Roster, plan, read_roster
from solutions.sets import Task, choose, find_sets, sets_with
from solutions.stubs import is_answer


def add_arguments(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser("grade", help="grade submissions: a table for the class, a file for each student")
    parser.add_argument(
        "submissions", nargs="+", metavar="PATH", help="each student's folder, zip file, .py or .ipynb file"
    )
    parser.add_argument(
        "--csv", type=Path, metavar="FILE", help="table of marks, one line per student, written while grading"
    )
    parser.add_argument("--resume", action="store_true", help="continue an interrupted grading with the same --csv")
    parser.add_argument(
        "--gradescope", type=Path, metavar="FILE", help="JSON for an autograder; FILE.NAME.json of many"
    )
    parser.add_argument("--feedback", type=Path, metavar="DIR", help="a text and a page for each student, to be sent")
    parser.add_argument("--roster", type=Path, metavar="FILE", help="CSV of the students: id, name, group, submitted")
    parser.add_argument("--deadline", default="", metavar="TIME", help="such as 2026-10-12T23:59; needs --roster")
    parser.add_argument(
        "--penalty", type=float, default=0.0, metavar="PERCENT", help="percent of the points lost per late day"
    )
    parser.add_argument("--free", type=int, default=0, metavar="DAYS", help="days late without a penalty")
    parser.add_argument("--moodle", type=Path, metavar="FILE", help="marks as Moodle imports them; needs --roster")
    parser.add_argument("--canvas", type=Path, metavar="FILE", help="marks as Canvas imports them; needs --roster")
    parser.add_argument("--only", default="", metavar="WHICH", help="only a chapter (6) or an exercise (6.2)")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="students graded at the same time"
    )
    scheduler_argument(parser)
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="SECONDS", help="limit for one check or exam")
    parser.add_argument("--total", type=float, default=TOTAL, metavar="SECONDS", help="limit for one student")
    parser.add_argument("--memory", type=float, default=MEMORY, metavar="GB", help="memory for one student (Linux)")
    parser.add_argument(
        "--seed", default="", metavar="TEXT", help="seed of the exams, to repeat a grading (default: secret)"
    )
    parser.add_argument("--no-isolation", action="store_true", help="do not use bubblewrap, even if it is installed")
    parser.add_argument("--json", action="store_true", help="print everything about each student, as a line of JSON")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> None:
    """Grade, report, write; exit with status 1 where a submission could not be graded, or whose choice is ambiguous.

    Raises `UserError` where the answers themselves do not pass: then nothing is graded.
    """
    tasks = choose(find_sets(), arguments.only)
    check_flags(arguments)
    late = (arguments.deadline, arguments.penalty, arguments.free)
    roster = read_roster(arguments.roster, *late) if arguments.roster else None
    planned = plan([*find_submissions(arguments.submissions)], roster)
    if not all(is_answer(task.exercises.answers[task.file]) for task in tasks):
        raise UserError("this edition has no answers, so its grades could be forged; grade with the instructor's own")
    table = Table(arguments.csv, tasks, True, roster) if arguments.csv and arguments.resume else None
    seed = arguments.seed or (table.seed if table else "") or secrets.token_hex(8)
    with ExitStack() as resources:
        cluster, marking = None, None
        if arguments.scheduler:  # before a table is begun: it may not answer
            cluster = resources.enter_context(open_executor(1, arguments.scheduler))
        else:
            isolated = False if arguments.no_isolation else None
            options = {"limit": arguments.limit, "memory": arguments.memory, "isolated": isolated}
            marking = resources.enter_context(Marking(tasks, seed=seed, **options))
            marking.prepare()
        if arguments.csv and table is None:
            table = Table(arguments.csv, tasks, False, roster)
        if marking and not marking.isolated:
            print(FENCE, file=sys.stderr)
        grading = Grading(planned, tasks, marking, table, arguments, seed, cluster, roster)
        grading.run()
    written = partial(print, file=sys.stderr if arguments.json else sys.stdout)
    if table:
        table.finish(planned.order)
        written(f"wrote {arguments.csv}")
    for platform in PLATFORMS:
        path = getattr(arguments, platform)
        if path:
            title = f"Exercises {arguments.only}".strip()
            write_grades(platform, path, roster, table.grades(), title, table.points)
            written(f"wrote {path}")
    conclude(planned, grading)


def conclude(planned: ClassPlan, grading: Grading) -> None:
    """What a person must look at, a line each; then the exit status is 1."""
    ambiguous = [f"{name}: {line}" for name, lines in sorted(grading.ambiguous.items()) for line in lines]
    for line in [*planned.doubts, *ambiguous]:
        print(f"check: {line}", file=sys.stderr)
    for names, text in ((planned.missing, MISSING), (grading.failed, "could not be graded")):
        if names:
            print(f"{text}: {', '.join(sorted(names))}", file=sys.stderr)
    if planned.doubts or ambiguous or grading.failed:
        sys.exit(1)


def check_flags(arguments: argparse.Namespace) -> None:
    """Raises `UserError` for a limit that nobody could keep, for a flag without one that it needs, for a folder where a
    file is to be written, and for a file in the place of a folder."""
    for name in ("limit", "total", "memory"):
        value = getattr(arguments, name)
        if not (math.isfinite(value) and value > 0):
            raise UserError(f"--{name} {value:g}: must be a number above 0")
    if not 1 <= arguments.jobs <= MOST_JOBS:
        raise UserError(f"--jobs {arguments.jobs}: must be from 1 to {MOST_JOBS}")
    for name in ("csv", "gradescope", *PLATFORMS):
        path = getattr(arguments, name)
        if path and path.is_dir():
            raise UserError(f"--{name} {path}: is a folder; name a file")
    if arguments.feedback and arguments.feedback.exists() and not arguments.feedback.is_dir():
        raise UserError(f"--feedback {arguments.feedback}: is a file; name a folder")
    needed = {"deadline": ["roster"], "penalty": ["deadline"], "free": ["deadline"], "resume": ["csv"]}
    for name, others in (needed | dict.fromkeys(PLATFORMS, ["roster", "csv"])).items():
        for other in others:
            if getattr(arguments, name) and not getattr(arguments, other):
                raise UserError(f"--{name} needs --{other}")


class Grading:
    """A class that is being graded: here several students at a time, on a cluster several groups of them."""

    def __init__(
        self,
        planned: ClassPlan,
        tasks: list[Task],
        marking: Marking | None,
        table: Table | None,
        arguments: argparse.Namespace,
        seed: str,
        cluster: Cluster | None = None,
        roster: Roster | None = None,
    ):
        """marking: None on a cluster, where each group has its own.

        failed: the students whose submissions could not be graded; ambiguous: what a person must check, by student.
        Both with those of a table that is resumed.
        """
        self.planned, self.cluster, self.roster = planned, cluster, roster
        self.tasks, self.marking, self.table, self.arguments = tasks, marking, table, arguments
        self.seed = seed
        self.files = file_names(planned.order)
        self.paths = dict(planned.submissions)
        self.all = len(planned.submissions)
        self.waiting = [(name, path) for name, path in planned.submissions if not self.is_done(name)]
        self.number = self.all - len(self.waiting)
        self.places = {name: place for place, name in enumerate(self.paths)}
        done = [name for name in self.paths if table and self.is_done(name)]
        self.failed = {name for name in done if harmless(name) in table.failed}
        self.ambiguous = {name: table.ambiguous[harmless(name)] for name in done}
        self.lock = threading.Lock()

    def is_done(self, name: str) -> bool:
        """Whether a student has a row, and the files that are asked for."""
        if not self.table or harmless(name) not in self.table.done:
            return False
        files = [self.file_of(name)] if self.arguments.gradescope else []
        if self.arguments.feedback:
            files += [self.arguments.feedback / f"{self.files[name]}.{kind}" for kind in FORMS]
        return all(path.is_file() for path in files)

    def file_of(self, name: str) -> Path:
        """A student's file for an autograder: the one that was named, or of several students one with the name."""
        path = self.arguments.gradescope
        return path if len(self.files) == 1 else path.with_name(f"{path.stem}.{self.files[name]}{path.suffix}")

    def run(self) -> None:
        """Until nobody waits. Ctrl-C and SIGTERM end all processes and remove their folders; what is written stays."""
        for name in self.planned.missing:
            results = [TaskResult(task, NOT_ATTEMPTED) for task in self.tasks]
            self.write(Report(name, results, remarks=[MISSING]))
        for name, reason in self.planned.several.items():
            self.write(self.refused(name, reason))
        try:
            elsewhere = grade_groups(self.cluster, self.waiting, self.tasks, self.seed, self.arguments)
            with closing(self.here() if self.marking else elsewhere) as reports:
                for report in reports:
                    self.tell(report)
        except KeyboardInterrupt as interrupt:
            self.lock.acquire()  # for good: no other student begins, for whom the copy of the course would be mended
            Server.end_all()
            if self.marking:
                self.marking.close()
            rows = self.table and f"the rows so far are in {self.table.part}; --resume continues"
            print(f"\ninterrupted; {rows or 'nothing was written'}", file=sys.stderr)
            end_process(interrupt)  # threads that wait for students' processes would not let a plain exit through

    def here(self) -> Iterator[Report]:
        """The reports as they come. A thread for each student waits for the processes that run the student's code."""
        with open_executor(self.arguments.jobs) as pool:
            futures = {pool.submit(self.grade_one, name, path): name for name, path in self.waiting}
            for _, report in completed(futures):
                yield report

    def grade_one(self, name: str, path: Path) -> Report:
        """Grade one submission. Whatever is wrong with it is in its own report."""
        with self.lock:
            changed = self.marking.check_course()
        started = time.monotonic()
        try:
            sets = sets_with(self.tasks)
            submitted = read_submission(path, sets)
            if not submitted.recognised:
                example = f"exercises/{sets[0].name}/{next(iter(sets[0].answers))}.py"
                reason = f"nothing to grade: there is no file such as {example}"
                return self.refused(name, "; ".join([reason, *submitted.remarks]))
            note = "files of the course were changed before this one was graded"
            strange = [f"{note}: {', '.join(changed)}"] if changed else []
            strange += [line for exercises in sets for line in look_twice(exercises, submitted.files[exercises.name])]
            marking = self.marking if self.marking.shared else self.marking.fresh()
            try:
                options = {"limit": self.arguments.limit, "total": self.arguments.total}
                results = grade(path, self.tasks, marking=marking, files=submitted.files, **options)
            finally:
                if marking is not self.marking:
                    marking.close()
        except CannotRead as error:
            return self.refused(name, printable(str(error)))
        except Exception as error:
            return self.refused(name, f"could not be graded: {type(error).__name__}: {printable(str(error)[:300])}")
        return Report(name, results, strange, time.monotonic() - started, remarks=submitted.remarks)

    def refused(self, name: str, error: str) -> Report:
        """The report of a submission that cannot be graded at all."""
        return Report(name, [TaskResult(task, FAILED, error) for task in self.tasks], error=error)

    def write(self, report: Report) -> None:
        """A student's files, and the row. The row comes last: who has a row is not graded again."""
        sent = without_place(report, self.paths.get(report.name))
        if self.arguments.gradescope:
            write_json(self.file_of(report.name), for_autograder(sent))
        if self.arguments.feedback:
            name, mark = self.roster.about(report.name, report.score) if self.roster else (report.name, None)
            write_feedback(self.arguments.feedback / self.files[report.name], sent, name, mark)
        if self.table:
            self.table.add(sent, self.seed)
        if report.error:
            self.failed.add(report.name)
        self.ambiguous[report.name] = ambiguous_in(report.remarks)

    def tell(self, report: Report) -> None:
        """Write what there is of a student, and print a line."""
        self.write(report)
        if self.arguments.json:
            print(as_json(report, self.places[report.name]), flush=True)
            return
        points = sum(task.points for task in self.tasks)
        strange = len(report.strange) + len(report.remarks)
        look = f", {counted(strange, 'line')} to look at" if strange else ""
        summary = f"{report.score:g} of {points:g} points in {report.seconds:.0f} s{look}"
        self.number += 1
        place = f"[{self.number:{len(str(self.all))}}/{self.all}]"
        print(f"{place} {report.name}: {report.error or summary}", flush=True)
