"""The campaign of inputs finds what a reader does wrong with damaged files, and damages files of every kind."""

from __future__ import annotations

import io
import json
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from common.errors import UserError, exits_cleanly
from tools.campaign import damage, structures
from tools.campaign.cases import FINE, REFUSED, run_cases
from tools.campaign.inputs import Inputs

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")


def campaign_of(function: Callable[[], None], field: Path) -> Inputs:
    """A campaign with one program, which reads a file of the field."""
    campaign = Inputs.__new__(Inputs)
    campaign.names, campaign.field, campaign.flags = ["planted"], field, {"planted": {"flags": [], "commands": {}}}
    campaign.program = lambda name, arguments, begin: lambda: (begin(), exits_cleanly(function)())
    (field / "numbers.json").write_text('{"x": 12, "y": [1, 2, {"z": "a"}]}')
    (field / "results.txt").write_text("whole")
    return campaign


def careful() -> None:
    try:
        json.loads(Path("numbers.json").read_text("utf-8"))["x"] + 1
    except Exception:
        raise UserError("numbers.json: damaged") from None


def trusting() -> None:
    json.loads(Path("numbers.json").read_text("utf-8"))["x"] + 1


def leaving() -> None:
    Path("results.txt").write_text("begun")
    careful()


def greedy() -> None:
    try:
        raise MemoryError
    except MemoryError:
        raise UserError("numbers.json: damaged") from None


@pytest.mark.slow
@pytest.mark.parametrize(
    "function, kinds",
    [
        (careful, {FINE, REFUSED}),
        (trusting, {FINE, "traceback"}),
        (leaving, {FINE, "half-written"}),
        (greedy, {"memory"}),
    ],
)
def test_inputs(function: Callable, kinds: set[str], tmp_path: Path, tmp_path_factory) -> None:
    campaign = campaign_of(function, tmp_path_factory.mktemp("field"))
    cases = list(run_cases(campaign, 1, range(1, 31), tmp_path, jobs=2))
    assert {verdict.kind for _, _, verdict, _ in cases} == kinds
    assert sorted(number for number, *_ in cases) == list(range(1, 31))
    again = {number: verdict for number, _, verdict, _ in run_cases(campaign, 1, [7, 8], tmp_path / "2", 1)}
    assert all(verdict == again[number] for number, _, verdict, _ in cases if number in again), "a case can be replayed"


def hanging() -> None:
    Path("pid").write_text(str(os.getpid()))
    signal.pause()


@pytest.mark.slow
def test_cases_end_with_the_campaign(tmp_path: Path, tmp_path_factory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C does not reach them; whoever stops asking for results ends them."""
    cases = run_cases(campaign_of(hanging, tmp_path_factory.mktemp("field")), 1, [1], tmp_path, jobs=1)

    def interrupt(seconds: float) -> None:
        if pids := [int(text) for path in tmp_path.rglob("pid") if (text := path.read_text())]:  # else not yet written
            raise KeyboardInterrupt(*pids)

    monkeypatch.setattr("tools.campaign.cases.time.sleep", interrupt)
    with pytest.raises(KeyboardInterrupt) as caught:
        next(cases)
    (pid,) = caught.value.args
    assert os.waitpid(pid, 0)[1] == signal.SIGKILL


@pytest.mark.parametrize(
    "how", dict.fromkeys([*damage.ANY, *(how for kind in structures.BY_KIND.values() for how in kind)])
)
def test_damage_is_done_and_repeated(how: object) -> None:
    """Every way of damage changes what it is given, most of the time, and in the same way with the same seed."""
    if how in structures.BY_KIND[".npz"]:
        written = io.BytesIO()
        np.savez(written, x=np.arange(6.0), small=np.full(3, 7, np.uint8), about=np.array('{"a": [1, 2]}'))
        data = written.getvalue()
    else:
        data = b'{"a": [1, 2, "x"], "b": {"c": 3.5}}\n'
    damaged = [how(data, random.Random(seed)) for seed in range(30)]
    assert sum(result != data for result in damaged) > 15
    assert damaged == [how(data, random.Random(seed)) for seed in range(30)]
