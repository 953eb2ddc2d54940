"""A campaign on a cluster: groups of cases, each run by `python -m tools.campaign` on whatever machine is free."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Sequence

from common.errors import UserError
from common.executor import completed, last_line, open_executor, run_again

from .cases import Report

LARGEST = 1000
"""Cases in a group at most: no more are run again where a machine is lost."""


def run_elsewhere(report: Report, numbers: Sequence[int], scheduler: str) -> None:
    """Run the cases on the cluster of a scheduler, and add them to the report. Raises `UserError` where that fails."""
    start = time.monotonic()
    with open_executor(1, scheduler) as cluster:
        groups = split(numbers, cluster.slots)
        futures = {cluster.submit(run_again, command(report, group)): group for group in groups}
        for group, done in completed(futures):
            if done.returncode != 0:
                raise UserError(f"cases {group[0]} to {group[-1]}: {last_line(done)}")
            content = json.loads(done.stdout.splitlines()[-1])
            report.merge(content)
            report.seconds = time.monotonic() - start
            print(f"cases {group[0]} to {group[-1]}: {len(content['findings'])} findings", flush=True)


def split(numbers: Sequence[int], slots: int) -> Iterator[Sequence[int]]:
    """As many groups as are run at a time, since each begins with making what all its cases need."""
    size = min(LARGEST, math.ceil(len(numbers) / max(slots, 1))) or 1
    return (numbers[start : start + size] for start in range(0, len(numbers), size))


def command(report: Report, group: Sequence[int]) -> list[str]:
    """What runs a group, after `python`."""
    cases = ["--first", str(group[0]), "--number", str(group[-1]), "--jobs", "1"]
    only = ["--only", report.only] if report.only else []
    return ["-m", "tools.campaign", report.kind, "--seed", str(report.seed), *cases, *only, "--json"]
