"""A campaign on a cluster runs the cases that it runs here, in groups, and adds up what they find."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from common import executor
from common.errors import UserError
from tests.clusters import Processes
from tests.programs import ROOT, error_line, run_python

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
if hasattr(os, "fork"):
    from tools.campaign import groups
    from tools.campaign.cases import Report

ARGUMENTS = ("-m", "tools.campaign", "inputs", "--only", "show a corpus", "--seed", "4")


@pytest.mark.needs("loopback", "time")
@pytest.mark.slow
def test_the_cases_are_the_same(tmp_path: Path) -> None:
    """By a real scheduler and a worker that are processes of their own."""
    pytest.importorskip("distributed")
    cluster = Processes(tmp_path)
    try:
        cluster.add("one")
        reports = []
        for more in ([], ["--scheduler", cluster.address]):
            path = tmp_path / "report.json"
            command = [sys.executable, *ARGUMENTS, "--number", "13", "--first", "4", *more, "--report", str(path)]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
            assert done.returncode == 0, done.stderr
            reports.append(json.loads(path.read_text("utf-8")))
    finally:
        cluster.close()
    here, there = reports
    assert "cases 4 to 13: 0 findings" in done.stdout
    assert here["cases"] == there["cases"] == 10 and here["findings"] == there["findings"] == []
    assert (here["counts"], here["counted"]) == (there["counts"], there["counted"])


class Elsewhere:
    """Stands for a cluster of two: runs each group as `outcome` says, and remembers the commands."""

    slots = 2

    def __init__(self, outcome):
        self.outcome, self.commands = outcome, []

    def submit(self, function: object, words: list[str]):
        self.commands.append(words)
        future = executor.Future()
        future.set_result(self.outcome(len(self.commands)))
        return future

    def shutdown(self, **options: object) -> None:
        pass


def done(number: int) -> SimpleNamespace:
    """What the process of a group has printed, which found something in its first case."""
    report = Report("kills", 7, "", "gates")
    report.counts.update({"fine": number, "lost": 1})
    report.counted["SIGKILL"] = 2
    report.findings.append({"case": number, "kind": "lost", "text": "a file", "replay": f"--case {number}"})
    return SimpleNamespace(returncode=0, stdout=f"case {number}: lost\n{json.dumps(report.content())}\n", stderr="")


def test_groups_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Elsewhere(done)
    monkeypatch.setattr(executor, "Cluster", lambda *arguments: cluster)
    report = Report("kills", 7, "", "gates")
    groups.run_elsewhere(report, range(3, 10), "tcp://x:1")
    common = ["-m", "tools.campaign", "kills", "--seed", "7"]
    rest = ["--jobs", "1", "--only", "gates", "--json"]
    assert cluster.commands == [
        [*common, "--first", "3", "--number", "6", *rest],
        [*common, "--first", "7", "--number", "9", *rest],
    ]
    assert report.counts == {"fine": 3, "lost": 2} and report.counted == {"SIGKILL": 4}
    assert [finding["case"] for finding in report.findings] == [1, 2]


def test_a_group_that_cannot_be_run_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = SimpleNamespace(returncode=2, stdout="", stderr="error: no space left\n")
    monkeypatch.setattr(executor, "Cluster", lambda *arguments: Elsewhere(lambda number: failed))
    with pytest.raises(UserError, match="^cases 1 to 2: no space left$"):
        groups.run_elsewhere(Report("kills", 7, ""), range(1, 5), "tcp://x:1")


@pytest.mark.parametrize("slots, sizes", [(2, [2, 2]), (0, [4]), (9, [1] * 4)])
def test_there_is_a_group_for_each_worker(slots: int, sizes: list[int]) -> None:
    assert [len(group) for group in groups.split(range(1, 5), slots)] == sizes
    assert {len(group) for group in groups.split(range(5000), 1)} == {1000}


def test_wrong_numbers_are_one_line() -> None:
    refused = run_python("-m", "tools.campaign", "inputs", "--first", "0")
    assert refused.returncode == 2 and "--number, --first, --jobs and --case" in error_line(refused.stderr)
