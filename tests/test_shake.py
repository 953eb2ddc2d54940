"""`python -m tools.shake` and its plugin: other starts and circumstances, and the tests that do not stand them."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import dynet as dy
import numpy as np
import pytest

from common.errors import UserError
from common.nn.optimiser import make_optimiser
from tests import shaking

pytest.importorskip("pwd", reason="rounds of tests need users as Linux and macOS have them")
from tools import shake  # noqa: E402

TESTS = """
import os, time
from pathlib import Path

def test_circumstances():
    place = str(Path.cwd())
    assert " " in place and not place.isascii() and not os.environ["TMPDIR"].isascii()
    assert os.environ["COLUMNS"] == "40" and "HOME" not in os.environ and os.umask(0o77) == 0o77
    assert os.environ["TZ"] and os.environ["LC_ALL"]

def test_user():
    assert os.geteuid() != 0 and not os.access("pyproject.toml", os.W_OK) and not os.access(".", os.W_OK)

def test_odd_rounds():
    assert os.environ["PYTHONHASHSEED"] not in "13", "an odd number"

def test_that_passes():
    assert time.tzname
"""


@pytest.fixture
def tests() -> Iterator[Path]:
    """A folder with a file of tests that everybody may read."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    (folder / "test_place.py").write_text(TESTS, "utf-8")
    (folder / "test_place.py").chmod(0o644)
    yield folder
    shutil.rmtree(folder)


def test_what_python_compiles_of_the_checkout_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For the tests that run next; of a copy, or by another user, it goes with the round."""
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    for circumstances, kept in ((["start", "umask"], True), (["readonly"], False), (["start", "user"], False)):
        variables = shake.environment(1, circumstances, tmp_path)
        assert ("PYTHONPYCACHEPREFIX" not in variables) == kept and variables["TMPDIR"] == str(tmp_path)


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    """The exit status of the tool."""
    monkeypatch.setattr(sys, "argv", ["shake", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        shake.main()
    return ended.value.code


@pytest.mark.needs("user")
@pytest.mark.slow
def test_all_circumstances_and_the_rate_of_failures(
    tests: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """Nothing is left behind. Without `user` where no other one than root may run this Python."""
    circumstances = list(shake.CIRCUMSTANCES)
    try:
        shake.ordinary_user()
    except UserError:
        circumstances.remove("user")
    before = set(Path(tempfile.gettempdir()).glob("shake*"))
    left_out = [] if "user" in circumstances else ["-k", "not user"]
    assert run(monkeypatch, "--rounds", 2, "--only", *circumstances, "--", tests, *left_out) == 1
    *rounds, failure = capsys.readouterr().out.splitlines()
    number = 3 + ("user" in circumstances)
    first, name, second = rounds
    assert [first, second] == [f"round 1: {number} tests, 1 failed", f"round 2: {number} tests, 0 failed"]
    assert name.endswith("::test_odd_rounds")
    assert failure.startswith("1 of 2  ") and "::test_odd_rounds  AssertionError: an odd number" in failure
    assert set(Path(tempfile.gettempdir()).glob("shake*")) == before


@pytest.mark.needs("user")
@pytest.mark.slow
def test_what_passes_and_what_cannot_be_run(
    tests: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    flags = "--only", "columns", "--rounds", 1, "--"
    assert run(monkeypatch, *flags, tests, "-k", "passes") == 0
    assert capsys.readouterr().out.strip() == "round 1: 1 tests, 0 failed"
    assert run(monkeypatch, *flags, tests / "nowhere.py") == 2
    assert capsys.readouterr().err.startswith("error: pytest ended with status 4: ")


def test_the_report_of_a_round(tmp_path: Path) -> None:
    place = 'classname="tests.test_x{}" name="{}" file="tests/test_x.py"'
    cases = [
        f'<testcase {place.format(".TestA", "test_a[1]")}><failure message="m&#10;n"/></testcase>',
        f"<testcase {place.format('', 'test_b')}><skipped/></testcase>",
        f"<testcase {place.format('', 'test_c')}/>",
        f"<testcase {place.format('', 'test_d')}><error>at set-up</error></testcase>",
    ]
    (tmp_path / "report.xml").write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>", "utf-8")
    first = shake.Failure("tests/test_x.py::TestA::test_a[1]", "m")
    second = shake.Failure("tests/test_x.py::test_d", "at set-up")
    assert shake.read_report(tmp_path / "report.xml") == (3, [first, second])
    assert shake.summary([[second], [first, second]]) == [
        "2 of 2  tests/test_x.py::test_d  at set-up",
        "1 of 2  tests/test_x.py::TestA::test_a[1]  m",
    ]


# --- the plugin


def collection_of(array: np.ndarray) -> dy.ParameterCollection:
    collection = dy.ParameterCollection()
    collection.add_parameters(array.shape, init=dy.NumpyInitializer(array))
    collection.lookup_parameters_from_numpy(array)
    return collection


def arrays_of(collection: dy.ParameterCollection) -> list[np.ndarray]:
    parameters = [*collection.parameters_list(), *collection.lookup_parameters_list()]
    return [parameter.as_array().copy() for parameter in parameters]


def test_every_weight_is_moved_by_about_a_millionth() -> None:
    """The same weights go to the same place in a round, and to another one in the next."""
    start = np.random.default_rng(1).normal(size=(40, 30))
    first, again, other = (collection_of(start) for _ in range(3))
    for collection, number in ((first, 1), (again, 1), (other, 2)):
        shaking.shake(collection, number)
    for array, same, different in zip(*map(arrays_of, (first, again, other)), strict=True):
        change = array / start.astype(np.float32) - 1
        assert 0.8e-6 < change.std() < 1.2e-6 and abs(change.mean()) < 2e-7
        assert np.array_equal(array, same) and not np.array_equal(array, different)


@pytest.mark.parametrize("kind", ["adam", "sgd"])
def test_trainings_begin_elsewhere_and_go_on_where_they_were(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An optimiser moves the weights when it is made, not when a checkpoint is restored."""
    from common.nn import optimiser

    for name in shaking.TRAINERS:
        monkeypatch.setattr(dy, name, getattr(dy, name))
    for optimiser_class in (optimiser.SGD, optimiser.Adam):
        monkeypatch.setattr(optimiser_class, "__init__", optimiser_class.__init__)
    shaking.shake_trainers(1)
    start = np.random.default_rng(1).normal(size=(4, 3))
    collection = collection_of(start)
    course = make_optimiser(kind, collection, 5.0)
    moved = arrays_of(collection)
    assert not any(np.array_equal(array, start.astype(np.float32)) for array in moved)
    course.set_arrays(course.arrays())
    assert all(map(np.array_equal, arrays_of(collection), moved))
    collection = collection_of(start)
    dy.AdamTrainer(collection, 0.1)
    assert all(map(np.array_equal, arrays_of(collection), moved)), "the same start, the same noise"
