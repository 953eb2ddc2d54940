"""The campaign of kills finds what a training loses that is killed, and takes a proper end for one."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from common.errors import INTERRUPTED
from common.files import atomic_write
from tools.campaign.cases import FINE, Verdict, judge
from tools.campaign.forks import Child, Fault, Outcome
from tools.campaign.kills import check_end, compare, kill_and_resume

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")


WRITERS = {
    "whole": "with atomic_write(path) as file:\n    file.write(text)",
    "halves": "path.write_text(text[:9]); time.sleep(0.05); path.write_text(text)",
    "loses": "path.unlink(missing_ok=True); time.sleep(0.05); path.write_text(text)",
}


TRAINING = """
import json, sys, time
from pathlib import Path
from common.files import atomic_write

path = Path(sys.argv[1]) / "model.json"
path.parent.mkdir(parents=True, exist_ok=True)
for unfinished in path.parent.glob(".*.part"):
    unfinished.unlink()
(path.parent / "vocab.txt").write_text("")
count = json.loads(path.read_text())["count"] if path.exists() else 0
for count in range(count + 1, 6):
    text = json.dumps({"count": count, "seconds": time.time()})
    WRITE
    (path.parent / "log.txt").open("a").write(f"epoch {count}\\n")
"""


@pytest.mark.needs("time")
@pytest.mark.slow
@pytest.mark.parametrize("writer, survives", [("whole", True), ("halves", False), ("loses", False)])
def test_kills(writer: str, survives: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A training that counts to five. Without a rename the count is lost, or cannot be read, after some kills."""
    body = "\n".join("    " + line for line in WRITERS[writer].splitlines())
    source = TRAINING.replace("    WRITE", body)

    def training_of(name: str, run: Path, *flags: str) -> object:
        def work() -> None:
            sys.argv = [name, str(run)]
            exec(compile(source, name, "exec"), {"__name__": "x"})

        return work

    monkeypatch.setattr("tools.campaign.kills.train", training_of)
    whole = tmp_path / "whole"
    Child(training_of("x", whole), tmp_path / "first").wait()
    verdicts = []
    for number in range(6):
        folder = tmp_path / str(number)

        def work(folder: Path = folder, number: int = number) -> None:
            kill_and_resume("x", folder / "run", [(signal.SIGKILL, 3 * number + 1, 0.0)], folder)
            compare(whole, folder / "run")

        verdicts.append(judge(Child(work, folder).wait()))
    assert all(verdict.kind == FINE for verdict in verdicts) == survives, verdicts
    assert {verdict.kind for verdict in verdicts} <= {FINE, "lost", "half-written"}


@pytest.mark.parametrize(
    "err, fine",
    [
        ("\ninterrupted\n", True),
        ("learning a dictionary from 60 pairs, once for this run (x)\n\ninterrupted\n", True),
        ("Traceback\n\ninterrupted\n", False),
        ("", False),
    ],
)
def test_what_an_interrupted_training_may_say(err: str, fine: bool) -> None:
    outcome = Outcome(INTERRUPTED, "", err, timed_out=False)
    if fine:
        check_end(outcome, signal.SIGINT)
    else:
        with pytest.raises(Fault, match="lines"):
            check_end(outcome, signal.SIGINT)


def test_what_a_kill_leaves_behind(tmp_path: Path) -> None:
    """Files of a killed run that the other does not have, and contents that differ, are told."""
    for run in ("whole", "killed"):
        for name, text in (("metrics.json", '{"seconds": 1, "x": 2}'), ("log.txt", "epoch 1\n"), (".lock", "")):
            with atomic_write(tmp_path / run / name) as file:
                file.write(text)
    killed = tmp_path / "killed"

    def verdict() -> Verdict:
        return judge(Child(lambda: compare(tmp_path / "whole", killed), tmp_path / "child").wait())

    (killed / "metrics.json").write_text('{"seconds": 5, "x": 2}')
    assert verdict().kind == FINE
    (killed / "metrics.json").write_text('{"seconds": 1, "x": 3}')
    assert verdict() == Verdict("lost", "metrics.json differs from that of a run that was not killed")
    (killed / ".model.npz.77.part").write_text("half")
    assert verdict().kind == "half-written"
