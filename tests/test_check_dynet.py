"""The check of DyNet: what is installed passes, what is wrong would not, and all that the course uses is checked."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import dynet as dy
import numpy as np
import pytest

from common import runtime
from tools import check_dynet
from tools.check_dynet import (
    FAULTS,
    Verdict,
    check,
    check_dropout,
    check_gumbel,
    check_lookup,
    check_steps,
    has_fault,
    report,
)
from tools.dynet_operations import FIRST, Operation, operations

ROOT = Path(__file__).resolve().parents[1]
NO_ARITHMETIC = {"constant", "renew_cg", "reset_random_seed", "zeros", "ones", "inputTensor"}


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_the_installed_dynet_is_right(batch: int) -> None:
    rng = np.random.default_rng(batch)
    wrong = [verdict for operation in operations(batch) if not (verdict := check(operation, batch, rng)).right]
    assert not wrong
    assert check_lookup(rng).right and check_steps(rng).right and check_dropout(rng).right and check_gumbel().right


@pytest.mark.parametrize(
    "operation",
    [
        Operation("a value", [(4,)], dy.tanh, lambda x: np.tanh(x) + 1e-3),
        Operation("a gradient", [(4,)], lambda x: dy.nobackprop(dy.tanh(x)), np.tanh),
        Operation("half a gradient", [(3,), (3,)], lambda x, y: dy.cmult(dy.nobackprop(x), y), lambda x, y: x * y),
        Operation("a transposition", [(3, 3), (3,)], lambda A, x: A * x, lambda A, x: np.einsum("jiz,jz->iz", A, x)),
        Operation("a shape", [(4,)], lambda x: dy.pick_range(x, 0, 2), lambda x: x[:3]),
        Operation("a gradient too many", [(4,)], dy.tanh, np.tanh, constant=FIRST),
        Operation("not a number", [(4,)], lambda x: dy.log(x - x), lambda x: np.zeros_like(x)),
    ],
    ids=lambda operation: operation.name,
)
def test_what_is_wrong_is_found(operation: Operation, rng: np.random.Generator) -> None:
    if operation.name == "not a number":  # which DyNet's memory would keep for later tests
        assert not Verdict("", 1, float("nan"), 0.0).right
        return
    assert not check(operation, 2, rng).right


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def test_every_operation_of_the_course_is_checked() -> None:
    """The names that models call in DyNet, read from their source, all stand in what is checked."""
    files = [*(ROOT / "common" / "nn").glob("*.py"), *(ROOT / "chapters").glob("*/*.py")]
    used = {name for path in files for name in re.findall(r"\bdy\.([a-z_]+)\(", path.read_text(encoding="utf-8"))}
    checking = "".join(
        (ROOT / "tools" / f"{name}.py").read_text("utf-8") for name in ("dynet_operations", "check_dynet")
    )
    checked = set(re.findall(r"\bdy\.([a-z_]+)", checking))
    assert len(used) > 30
    assert used - checked - NO_ARITHMETIC == set()


def test_the_default_wheels_faults_are_reported() -> None:
    """Reflected operators, of the wheel that `pip install` brings; a build of the course's own has mended them."""
    reflected = FAULTS[0]
    assert has_fault(reflected) == ("+" not in runtime.versions()["dynet"])
    assert not has_fault(reflected._replace(program="assert True"))
    assert has_fault(reflected._replace(program="import os; os.abort()"))
    with pytest.raises(RuntimeError, match="wrong itself"):
        has_fault(reflected._replace(program="dy.no_such_thing()"))


def test_report_tells_wrong_from_right() -> None:
    verdicts = [Verdict("tanh", 1, 1e-7, 1e-6), Verdict("softmax", 3, 1e-7, 0.5)]
    text = report(verdicts, [(FAULTS[0], True), (FAULTS[1], False)])
    assert "2 checks of operations, 1 wrong" in text and "tanh" not in text
    assert "WRONG  softmax, batch 3: values off by 1e-07, gradients by 0.5" in text
    assert f"present  {FAULTS[0].name}; the course: {FAULTS[0].instead}" in text
    assert f"fixed    {FAULTS[1].name}\n" in text + "\n"


@pytest.mark.slow
def test_program() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "tools.check_dynet"], cwd=ROOT, capture_output=True, text=True, encoding="utf-8"
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert " 0 wrong" in result.stdout and "computing on the CPU" in result.stdout
    state = "fixed  " if "+" in runtime.versions()["dynet"] else "present"  # a build of the course's own, or the wheel
    for fault in (fault for fault in check_dynet.FAULTS if not fault.gpu):
        states = rf"{state}|fixed  " if fault.name.endswith("at times") else state
        assert re.search(rf"^  ({states})  {re.escape(fault.name)}", result.stdout, re.MULTILINE)
