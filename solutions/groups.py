"""Grading on a cluster: students in groups, each graded by `python -m solutions grade` on whatever machine is free.

What students wrote runs there as it would run here, in processes of that machine, held by bubblewrap where there is
one. A group's process tries its graders and exams on the answers first, which takes seconds: so a group has several
students.
"""

from __future__ import annotations

import argparse
import glob
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from common.errors import UserError
from common.executor import Cluster, completed, last_line, run_again
from solutions.grading.rows import Report, from_json
from solutions.sets import Task

FENCE = (
    "no bubblewrap here: students' code is confined only by checks in Python; exams decide all the same "
    "(on Linux: apt-get install bubblewrap)"
)
LARGEST = 25
"""Students in a group at most: no more are graded again where a machine is lost."""
ROUNDS = 2
"""Groups for each worker at least, so that none waits long for the last one."""

Folders = Sequence[tuple[str, Path]]
"""Submissions by their names."""


def grade_groups(
    cluster: Cluster, waiting: Folders, tasks: Sequence[Task], seed: str, arguments: argparse.Namespace
) -> Iterator[Report]:
    """Grade on a cluster; the reports as groups are done. Raises `UserError` where a group fails."""
    futures = {}
    for group in split(waiting, cluster):
        paths = [str(folder) for _, folder in group]
        futures[cluster.submit(run_again, command(paths, seed, arguments), paths)] = [name for name, _ in group]
    fenced = False
    for names, done in completed(futures):
        lines = done.stdout.splitlines()
        if done.returncode not in (0, 1) or len(lines) != len(names):  # 1: one could not be graded, as its row says
            raise UserError(last_line(done))
        if FENCE in done.stderr and not fenced:
            fenced = True
            print(FENCE, file=sys.stderr)
        yield from (from_json(line, names, tasks) for line in lines)


def split(waiting: Folders, cluster: Cluster) -> list[Folders]:
    """Groups that keep all workers at work."""
    size = min(LARGEST, math.ceil(len(waiting) / (ROUNDS * max(cluster.slots, 1)))) or 1
    return [waiting[start : start + size] for start in range(0, len(waiting), size)]


def command(paths: Sequence[str], seed: str, arguments: argparse.Namespace) -> list[str]:
    """What grades a group, after `python`."""
    flags = {"--seed": seed, "--only": arguments.only, "--jobs": 1, "--limit": arguments.limit}
    flags |= {"--total": arguments.total, "--memory": arguments.memory}
    words = [f"{name}={value}" for name, value in flags.items()]
    alone = ["--no-isolation"] if arguments.no_isolation else []
    return ["-m", "solutions", "grade", *map(glob.escape, paths), *words, *alone, "--json"]
