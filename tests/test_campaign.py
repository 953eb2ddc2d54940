"""What an end of a case means, and what a campaign reports, here or on a cluster; and a short run of each kind."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from common.errors import exits_cleanly
from tests.clusters import Processes
from tests.programs import ROOT, state_of
from tools.campaign import forks, groups
from tools.campaign.__main__ import main
from tools.campaign.cases import FINE, REFUSED, Report, Verdict, judge
from tools.campaign.forks import Child

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")


def complain(*lines: str, status: int = 2) -> None:
    print(*lines, sep="\n", file=sys.stderr)
    sys.exit(status)


def look_up() -> object:
    return {}["x"]


@exits_cleanly
def take_memory() -> np.ndarray:
    return np.ones(2**24)  # 134 MB


def sleep_long() -> None:
    time.sleep(600)


WORKS = {
    "fine": (lambda: print("done"), FINE),
    "one line": (lambda: complain("error: x: no such file"), REFUSED),
    "DyNet's own lines": (lambda: complain("[dynet] random seed: 1", "error: x"), REFUSED),
    "a KeyError": (look_up, "traceback"),
    "two lines": (lambda: complain("error: x", "error: y"), "lines"),
    "no error line": (lambda: complain("oh"), "lines"),
    "status 7": (lambda: sys.exit(7), "status"),
    "endless": (sleep_long, "hang"),
    "a warning": (lambda: complain("nn/cells.py:7: RuntimeWarning: overflow", status=0), "warning"),
    "an abort": (os.abort, "signal"),
    "134 MB": (take_memory, "memory"),
}


@pytest.mark.needs("time")
@pytest.mark.slow
@pytest.mark.parametrize("name", WORKS)
def test_what_an_end_means(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, kind = WORKS[name]
    monkeypatch.setattr(forks, "MOST_MEMORY", 100)
    outcome = Child(work, tmp_path, seconds=1 if kind == "hang" else 240).wait()
    verdict = judge(outcome, 1)
    assert verdict.kind == kind, outcome
    assert verdict.is_finding == (kind not in (FINE, REFUSED))
    assert kind != "hang" or re.search(r"1 s: File .*, line \d+ in sleep_long; File ", verdict.text)


@pytest.mark.needs("proc", "time")
def test_a_child_that_is_killed_takes_its_own_with_it(tmp_path: Path) -> None:
    def work() -> None:
        pid = os.fork()
        if pid:
            (tmp_path / "part").write_text(str(pid))
            (tmp_path / "part").rename(tmp_path / "pid")  # so that it is whole when it is there
        time.sleep(600)

    child = Child(work, tmp_path)
    while not (tmp_path / "pid").exists():
        assert child.poll() is None
        time.sleep(0.01)
    child.seconds = 0
    child.wait()
    pid, end = int((tmp_path / "pid").read_text()), time.monotonic() + 120
    while time.monotonic() < end and state_of(pid) not in ("", "Z"):
        time.sleep(0.01)
    assert state_of(pid) in ("", "Z")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--only", "no-such"], "nothing has this in its name"),
        (["--first", "9", "--number", "3"], "there is no case"),
        (["--first", "0"], "--number, --first, --jobs and --case"),
    ],
)
def test_a_campaign_without_a_case(flags: list[str], message: str, tmp_path: Path, refuse_main: Callable) -> None:
    """It ends in one line, and an earlier report stays."""
    report = tmp_path / "report.json"
    report.write_text("{}", "utf-8")
    for kind in ("kills", "inputs", "programs"):
        assert message in refuse_main(main, kind, *flags, "--report", report)
    assert report.read_text("utf-8") == "{}"


def test_the_report(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    report = Report("inputs", 3, "python -m tools.campaign inputs", "use")
    report.add(1, "one", Verdict(FINE), "counted: a\nx\n")
    report.add(2, "two", Verdict("hang", "no end"), "counted: a\n")
    assert "python -m tools.campaign inputs --only use --seed 3 --case 2" in capsys.readouterr().out
    report.write(tmp_path / "report.json")
    content = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert (content["cases"], content["counts"], content["counted"]) == (2, {"fine": 1, "hang": 1}, {"a": 2})
    assert [finding["case"] for finding in content["findings"]] == [2]
    report.merge(content)
    report.show()
    assert "4 cases" in capsys.readouterr().out and len(report.findings) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments, expected",
    [
        (["kills", "--only", "katz", "--number", "2"], "SIG"),
        (["inputs", "--only", "01_ngram_lm/generate", "--number", "30"], "damaged .npz"),
        (["programs", "--only", "no-such,01_ngram_lm/generate", "--number", "4"], "chapters/01_ngram_lm/generate.py"),
    ],
)
def test_a_short_run(arguments: list[str], expected: str, tmp_path: Path) -> None:
    path = tmp_path / "report.json"

    def campaign() -> None:
        sys.argv = ["campaign", *arguments, "--report", str(path), "--seed", "4"]
        main()

    done = Child(campaign, tmp_path / "campaign", seconds=300).wait()
    assert done.status == 0, done.out + done.err
    report = json.loads(path.read_text("utf-8"))
    assert report["findings"] == [] and report["cases"] == int(arguments[-1])
    assert any(expected in name for name in report["counted"])


# --- on a cluster, in groups

ARGUMENTS = ("-m", "tools.campaign", "inputs", "--only", "01_ngram_lm/adapt", "--seed", "4")


@pytest.mark.needs("loopback", "time")
@pytest.mark.slow
def test_the_cases_are_the_same(tmp_path: Path) -> None:
    """By a real scheduler and workers that are processes of their own; a group that fails is told in a line."""
    pytest.importorskip("distributed")
    cluster = Processes(tmp_path)
    try:
        cluster.add("one")
        cluster.add("two")
        reports = []
        for more in ([], ["--scheduler", cluster.address]):
            path = tmp_path / "report.json"
            command = [sys.executable, *ARGUMENTS, "--number", "13", "--first", "4", *more, "--report", str(path)]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
            assert done.returncode == 0, done.stderr
            reports.append(json.loads(path.read_text("utf-8")))
        command[command.index("01_ngram_lm/adapt")] = "no-such"
        failed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    finally:
        cluster.close()
    here, there = reports
    assert "to 13: 0 findings" in done.stdout
    line = r"^error: cases \d+ to \d+: --only no-such: nothing has this in its name$"
    assert failed.returncode == 2 and len(re.findall(line, failed.stderr, re.MULTILINE)) == 1, failed.stderr
    assert here["cases"] == there["cases"] == 10 and here["findings"] == there["findings"] == []
    assert (here["counts"], here["counted"]) == (there["counts"], there["counted"])


@pytest.mark.parametrize("slots, sizes", [(2, [2, 2]), (0, [4]), (9, [1] * 4)])
def test_there_is_a_group_for_each_worker(slots: int, sizes: list[int]) -> None:
    assert [len(group) for group in groups.split(range(1, 5), slots)] == sizes
    assert {len(group) for group in groups.split(range(5000), 1)} == {1000}
