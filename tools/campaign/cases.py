"""Cases: run side by side, judged, counted and reported."""

from __future__ import annotations

import platform
import random
import shlex
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

from common.errors import UserError
from common.files import write_json
from common.text.vocab import counted

from .forks import FAULT, MOST_SECONDS, Child, Outcome

FINE, REFUSED = "fine", "refused"
NO_MEMORY = "gives no more memory"
"""What a program says that has asked for too much (common/endings.py)."""
COUNTED = "counted:"
"""Begins a line of a case's standard output that says what the summary is to count."""


def wanted(names: Iterable[str], only: str) -> list[str]:
    """The names that have one of some texts in them, which commas part; all for "". Raises `UserError` for none."""
    matches = [name for name in names if any(text in name for text in only.split(","))]
    if not matches:
        raise UserError(f"--only {only}: nothing has this in its name")
    return matches


@dataclass(frozen=True)
class Verdict:
    """What became of a case. kind: `FINE`, `REFUSED` (in one line), or the kind of the finding."""

    kind: str
    text: str = ""

    @property
    def is_finding(self) -> bool:
        return self.kind not in (FINE, REFUSED)


class Campaign(Protocol):
    """A kind of campaign. name: as on the command line. seconds: the longest that a case may take."""

    name: str
    seconds: float

    def prepare(self, scratch: Path) -> None:
        """Make in `scratch` what all cases need."""

    def case(self, rng: random.Random, folder: Path) -> tuple[str, Callable[[], object], bytes]:
        """Draw a case, to be run in `folder`: its description, what its process runs, and its standard input."""


def judge(outcome: Outcome, seconds: float = MOST_SECONDS) -> Verdict:
    """What the end of a program, or of a case that is judged like one, means."""
    lines = [line for line in outcome.err.splitlines() if line.strip() and not line.startswith("[dynet]")]
    last = lines[-1] if lines else ""
    if outcome.timed_out:
        places = [line.strip() for line in lines if line.startswith("  File ")]
        return Verdict("hang", f"no end within {seconds:.0f} s: {'; '.join(places[:3]) or 'nobody knows where'}")
    if outcome.status == FAULT:
        kind, _, text = last.partition(": ")
        return Verdict(kind, text)
    if outcome.status < 0:
        return Verdict("signal", f"ended by signal {-outcome.status}: {last}")
    if any(line.startswith("Traceback") for line in lines):
        return Verdict("traceback", last)
    if warning := next((line for line in lines if "Warning: " in line), ""):
        return Verdict("warning", warning)
    if NO_MEMORY in last:
        return Verdict("memory", last)
    if outcome.status == 2:
        clean = len(lines) == 1 and last.startswith("error: ")
        return Verdict(REFUSED, last) if clean else Verdict("lines", f"{len(lines)} lines for one error: {lines[-3:]}")
    if outcome.status not in (0, 1):
        return Verdict("status", f"exit status {outcome.status}: {last}")
    return Verdict(FINE)


@dataclass
class Report:
    """What a campaign has found so far."""

    kind: str
    seed: int
    command: str
    only: str = ""
    counts: Counter = field(default_factory=Counter)
    counted: Counter = field(default_factory=Counter)
    findings: list[dict] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, number: int, about: str, verdict: Verdict, out: str) -> None:
        """Count a case, and keep it where it is a finding. out: its standard output."""
        self.counts[verdict.kind] += 1
        self.counted.update(line[len(COUNTED) :].strip() for line in out.splitlines() if line.startswith(COUNTED))
        if verdict.is_finding:
            only = f"--only {shlex.quote(self.only)} " if self.only else ""
            replay = f"python -m tools.campaign {self.kind} {only}--seed {self.seed} --case {number}"
            self.findings.append({"case": number, "about": about, **asdict(verdict), "replay": replay})
            print(f"\ncase {number}: {verdict.kind}: {verdict.text}\n  {about}\n  {replay}", flush=True)

    def merge(self, other: dict) -> None:
        """Add the content of another report, of other cases."""
        self.counts.update(other["counts"])
        self.counted.update(other["counted"])
        self.findings += other["findings"]

    def content(self) -> dict:
        """Everything, for programs."""
        machine = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
        about = {"command": self.command, "seed": self.seed, "machine": machine, "seconds": round(self.seconds, 1)}
        numbers = {"cases": sum(self.counts.values()), "counts": dict(self.counts), "counted": dict(self.counted)}
        return {**about, **numbers, "findings": self.findings}

    def write(self, path: Path) -> None:
        """Write the report, whole or not at all."""
        write_json(path, self.content())

    def show(self) -> None:
        """The summary, by kind of outcome, and by what the findings have in common."""
        cases, findings = counted(sum(self.counts.values()), "case"), counted(len(self.findings), "finding")
        print(f"\n{cases} in {self.seconds:.0f} s, {findings}")
        for kind, number in [*self.counts.most_common(), *self.counted.most_common()]:
            print(f"  {kind:22}{number:>8,}")
        alike = Counter((finding["kind"], finding["text"][:100]) for finding in self.findings)
        for (kind, text), number in alike.most_common(30):
            print(f"{number:>6} x {kind}: {text}")


def run_cases(
    campaign: Campaign, seed: int, numbers: Iterable[int], scratch: Path, jobs: int, keep: bool = False
) -> Iterator[tuple[int, str, Verdict, Outcome]]:
    """Run the cases, `jobs` at a time, and yield each when it has ended. Only the folders of findings stay, or all."""
    waiting, running = iter(numbers), []
    number = next(waiting, None)
    try:
        while running or number is not None:
            while number is not None and len(running) < jobs:
                folder = scratch / "cases" / str(number)
                about, work, stdin = campaign.case(random.Random(f"{campaign.name} {seed} {number}"), folder)
                running.append((number, about, Child(work, folder, stdin, campaign.seconds)))
                number = next(waiting, None)
            for case in [case for case in running if case[2].poll() is not None]:
                running.remove(case)
                ended, about, child = case
                verdict = judge(child.ended, campaign.seconds)
                yield ended, about, verdict, child.ended
                if not (verdict.is_finding or keep):
                    shutil.rmtree(child.folder, ignore_errors=True)
            time.sleep(0.001)
    finally:  # Ctrl-C does not reach the cases, which have sessions of their own
        for _, _, child in running:
            if child.ended is None:
                child.kill()


def run_campaign(
    campaign: Campaign, report: Report, numbers: Iterable[int], scratch: Path, jobs: int, keep: bool = False
) -> None:
    """Run all the cases and add them to the report, with a line of progress now and then."""
    start = last_shown = time.monotonic()
    for done, (number, about, verdict, outcome) in enumerate(
        run_cases(campaign, report.seed, numbers, scratch, jobs, keep), start=1
    ):
        report.add(number, about, verdict, outcome.out)
        report.seconds = time.monotonic() - start
        if time.monotonic() - last_shown > 10:
            last_shown = time.monotonic()
            print(
                f"{counted(done, 'case')}, {report.seconds:.0f} s, {counted(len(report.findings), 'finding')}",
                file=sys.stderr,
                flush=True,
            )
