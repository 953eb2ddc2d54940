"""Grade a class of invented students: `python -m tools.large_class FOLDER --students 1000`.

It writes the submissions, grades them with `python -m solutions grade`, kills the grading when half of the rows are
there, continues with `--resume`, and compares every mark with the intended one. It reports how long that took and how
much memory the grading process had (Linux): both must not depend on what students wrote, and memory not on how many
there are.
"""

from __future__ import annotations

import csv
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from common.errors import OneLineParser, UserError, exits_cleanly
from common.executor import scheduler_argument
from common.programs.arguments import check_most
from exercises.files import with_blanks
from solutions.sets import ROOT, ExerciseSet, find_sets
from solutions.stubs import functions, mutate, read_tree

KINDS = {"right": 60, "wrong": 25, "blank": 6, "all blank": 4, "missing": 2, "broken": 1.8, "abort": 1, "endless": 0.2}
"""What is done to a file of a student's, and how often in a hundred files."""
AT_TOP = {"broken": "def (:\n", "abort": "import os\n\nos.abort()\n", "endless": "while True:\n    pass\n"}
RESULT = "grades.csv"


class Run(NamedTuple):
    """One process that graded: how long it took, seconds of processor time of it and of those that it has waited for,
    and its memory, in megabytes, after each student, and at most.
    """

    seconds: float
    processor: float
    memory: list[float]
    most: float


@exits_cleanly
def main() -> None:
    parser = OneLineParser(prog="python -m tools.large_class", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder for the class; it must be new")
    parser.add_argument("--students", type=int, default=1000, metavar="N", help="number of students (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the submissions (default: 1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="students graded at a time")
    scheduler_argument(parser)
    parser.add_argument("--no-kill", action="store_true", help="grade in one go")
    arguments = parser.parse_args()
    check_most(arguments)
    if arguments.folder.exists():
        raise UserError(f"{arguments.folder} exists already; name a new folder")
    if arguments.students < 2:
        raise UserError("a class has at least two students")
    expected = write_class(arguments.folder, arguments.students, random.Random(arguments.seed))
    runs, how = [], ["--jobs", str(arguments.jobs)]
    if arguments.scheduler:
        how = ["--scheduler", arguments.scheduler]
    if not arguments.no_kill:
        runs.append(grade(arguments.folder, how, stop=arguments.students // 2))
        print(f"killed after {len(runs[0].memory)} of {arguments.students} students", flush=True)
    runs.append(grade(arguments.folder, how, resume=bool(runs)))
    report(runs, expected, arguments.folder / RESULT)


def write_class(folder: Path, students: int, rng: random.Random) -> dict[str, dict[str, float]]:
    """The submissions, and the points of each exercise by the student's name."""
    sets, marks = find_sets(), {}
    for number in range(students):
        name = f"student-{number:04}"
        marks[name] = {}
        for exercise_set in sets:
            place = folder / "class" / name / exercise_set.name
            place.mkdir(parents=True)
            for file in exercise_set.answers:
                text, points = write_file(exercise_set, file, rng)
                marks[name] |= points
                if text:
                    (place / f"{file}.py").write_text(text, encoding="utf-8", newline="\n")
    return marks


def write_file(exercise_set: ExerciseSet, file: str, rng: random.Random) -> tuple[str, dict[str, float]]:
    """A file as a student might have left it ("" for none), and the points of its exercises."""
    answer = exercise_set.answers[file]
    tasks = [task for task in exercise_set.tasks.values() if task.file == file]
    points = {task.number: task.points for task in tasks}
    nothing = dict.fromkeys(points, 0.0)
    kind, task = rng.choices([*KINDS], KINDS.values())[0], rng.choice(tasks)
    if kind in AT_TOP:
        return f"{answer}\n{AT_TOP[kind]}", nothing
    if kind == "all blank":
        return exercise_set.stubs[file], nothing
    if kind == "missing":
        return "", nothing
    if kind == "blank":
        path = exercise_set.path_of(file)
        return with_blanks(path, answer, exercise_set.stubs[file], task), {**points, task.number: 0.0}
    wrong = wrong_answers(exercise_set.folder, task.number)
    if kind == "wrong" and wrong:
        return rng.choice(wrong), {**points, task.number: 0.0}
    return answer, points


@cache
def wrong_answers(folder: Path, number: str) -> list[str]:
    """The file of a task with each of the mutants that change nothing but the task's own functions."""
    exercise_set = ExerciseSet(folder)
    task = exercise_set.tasks[number]
    answer, texts = exercise_set.answers[task.file], []
    definitions = functions(read_tree(answer))
    spans = [(definitions[name].lineno, definitions[name].end_lineno) for name in task.functions]
    for mutant in [mutant for mutant in exercise_set.mutants if mutant.task == number]:
        start = answer[: answer.index(mutant.right)].count("\n") + 1
        end = start + mutant.right.count("\n")
        if any(first < start and end <= last for first, last in spans):
            texts.append(mutate(answer, mutant.right, mutant.wrong, task.file))
    return texts


def grade(folder: Path, how: list[str], stop: int = 0, resume: bool = False) -> Run:
    """Grade the class in a process of its own. how: more flags. stop: kill it after so many students.

    Raises `UserError` if it fails.
    """
    students = sorted(os.fspath(path.relative_to(folder)) for path in (folder / "class").iterdir())
    command = [sys.executable, "-m", "solutions", "grade", *students, "--csv", RESULT, *how]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    started, before, memory, most = time.monotonic(), children_seconds(), [], 0.0
    with subprocess.Popen(
        command + ["--resume"] * resume, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    ) as running:
        for line in running.stdout:
            if line.startswith("["):
                now, most = memory_of(running.pid)
                memory.append(now)
                if len(memory) % 10 == 0:
                    print(f"{line.split(']')[0]}] after {time.monotonic() - started:.0f} s, {now:.0f} MB", flush=True)
                if stop and len(memory) >= stop:
                    running.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
                    break
    if running.returncode != 0 and not stop:
        raise UserError(f"the grading ended with status {running.returncode}; its rows are in {folder}")
    return Run(time.monotonic() - started, children_seconds() - before, memory, most)


def memory_of(process: int) -> tuple[float, float]:
    """Megabytes that a process has in memory now, and had at most; zeros where the system does not tell."""
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0, 0.0
    sizes = dict(line.split(":", 1) for line in lines if line.startswith(("VmRSS", "VmHWM")))
    return tuple(int(sizes.get(name, "0").split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))


def children_seconds() -> float:
    """Processor time of the processes that this one has waited for, and of those that they have waited for (POSIX)."""
    times = os.times()
    return times.children_user + times.children_system


def report(runs: list[Run], expected: dict[str, dict[str, float]], table: Path) -> None:
    """What it took. Raises `UserError` where a mark is not the one that it should be."""
    seconds, number = sum(run.seconds for run in runs), len(expected)
    print(f"{number} students, {len(next(iter(expected.values())))} exercises each, in {seconds / 60:.1f} minutes:")
    processor = sum(run.processor for run in runs) / number
    print(f"{seconds / number:.2f} seconds each, {1000 * seconds / number / 60:.0f} minutes for a thousand;")
    print(f"{processor:.2f} seconds of processor time each, as far as the system reports it")
    for run in runs:
        places = [place for place in (0, len(run.memory) // 2, len(run.memory) - 1) if run.memory]
        figures = ", ".join(f"{run.memory[place]:.0f} MB after {place + 1}" for place in places)
        print(f"the grading process: {figures}, at most {run.most:.0f} MB")
    wrong = list(differences(expected, table))
    for line in wrong[:20]:
        print(line)
    if wrong:
        raise UserError(f"wrong marks: {len(wrong)}; they are listed above")
    print(f"all {sum(map(len, expected.values()))} marks are what they should be")


def differences(expected: dict[str, dict[str, float]], table: Path) -> Iterator[str]:
    with open(table, encoding="utf-8", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    for name, marks in expected.items():
        for task, points in marks.items():
            actual = float(rows[name][task] or 0) if name in rows else -1.0
            if actual != points:
                problems = rows.get(name, {}).get("problems", "")[:300]
                yield f"{name}, {task}: {actual:g} points, not {points:g}: {problems}"


if __name__ == "__main__":
    main()
