"""What all tests share: DyNet seeded, one thread a process, plots without a screen."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # tests run side by side; NumPy reads this when it is imported
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a thousand processes would each compile the course again
sys.dont_write_bytecode = False

import dynet_config  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402

for kind in (np.float32, np.float64):
    np.finfo(kind)  # measured before DyNet is there: its wheel flushes denormal numbers, of which NumPy would warn
dynet_config.set(mem=64, random_seed=1)  # DyNet reads this when it is first imported; 0 would be a random seed

from common import memory  # noqa: E402
from tests import pairs, programs  # noqa: E402

LONG = ("graders", "site_built", "figures", "solutions_hostile_class", "pairs_programs", "oracle", "campaign")
LONG += ("printed", "structure", "solutions_grade", "contributing", "site", "bench", "memory", "feedforward_lesson")
LONG += ("slides",)
"""Files with the most work, the longest first."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files begin first, so that no process is left with one when the others have ended."""
    places = {f"test_{name}.py": place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.path.name, len(LONG)))


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Nothing of what is loaded and collected is garbage yet: the search for it would take a fifth of the time."""
    gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    gc.enable()


def pytest_collection_finish() -> None:
    """What was loaded and collected stays to the end: the search for garbage leaves it out from now on."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def fresh_start() -> None:
    """Give every test the same random numbers, an empty graph, all memory and no open picture, whatever ran before."""
    memory.set_limit(0)
    if "dynet" in sys.modules:
        dynet = sys.modules["dynet"]
        dynet.reset_random_seed(1)
        dynet.renew_cg()
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def chapter_of(request: pytest.FixtureRequest) -> str:
    """Whose programs a file of tests runs: its CHAPTER, where it names one."""
    return getattr(request.module, "CHAPTER", programs.CHAPTER)


@pytest.fixture(scope="module")
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few invented sentences, or pairs of them, as the chapter's programs read them."""
    write = pairs.write_pairs if "07" < chapter_of(request) < "11" else programs.write_corpus
    return write(tmp_path_factory.mktemp("corpora") / "farm")


@pytest.fixture(scope="module")
def trained(request: pytest.FixtureRequest, corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of the chapter on `corpus`, which no test changes: they take copies."""
    run = tmp_path_factory.mktemp("trained") / "run"
    with pytest.MonkeyPatch.context() as patched:
        call = programs.make_call(patched, chapter_of(request))
        call("train", *programs.TINY, "--corpus", corpus, "--run-dir", run)
    return run


@pytest.fixture
def call(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> programs.Call:
    """Runs a program of the chapter, whose runs are in `tmp_path`."""
    monkeypatch.setenv("COURSE_RUNS", str(tmp_path / "runs"))
    return programs.make_call(monkeypatch, chapter_of(request))


@pytest.fixture
def refused(call: programs.Call, capsys: pytest.CaptureFixture) -> programs.Refused:
    """Runs one that must be refused, and gives the line that says why."""
    return programs.make_refused(call, capsys)


@pytest.fixture
def run_main(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> Callable[..., str]:
    """Runs the `main` of any program in this process, with the words of its command line; what it prints."""

    def run(main: Callable[[], object], *words: object) -> str:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["program", *map(str, words)])
        main()
        return capsys.readouterr().out

    return run


@pytest.fixture
def refuse_main(run_main: Callable[..., str], capsys: pytest.CaptureFixture) -> Callable[..., str]:
    """Runs one that must be refused: exit status 2 and one line on standard error, which it returns."""

    def run(main: Callable[[], object], *words: object) -> str:
        with pytest.raises(SystemExit) as stopped:
            run_main(main, *words)
        assert stopped.value.code == 2
        return programs.error_line(capsys.readouterr().err)

    return run
