"""`--help` of everything that `python -m` can name prints what it is for, and nothing that is no program runs."""

from __future__ import annotations

import sys
from functools import cache

import pytest

from common import ROOT, modules
from common.modules import programs
from tests.programs import error_line, run_python

PACKAGES = ("tools", "book", "data", "exercises", "solutions")
PROGRAMS = [name for package in PACKAGES for name in programs(package) if name != "solutions.grading.server"]
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for package in PACKAGES
    for path in sorted(ROOT.glob(f"{package}/**/*.py"))
    if not path.name.startswith("__") and modules.PROGRAM not in path.read_text("utf-8")
]


def test_what_is_found() -> None:
    assert {"data", "exercises", "solutions", "book.labs", "tools.experiment", "tools.bench"} <= {*PROGRAMS}
    assert {"tools.metrics", "solutions.grade", "data.download", "book.counted"} <= {*MODULES}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_has_help(name: str) -> None:
    done = run_python("-m", name, "--help", env={"PYTHONDONTWRITEBYTECODE": "1"})
    assert (done.returncode, done.stderr) == (0, "")
    usage, _, about = done.stdout.partition("\n\n")
    assert usage.startswith("usage: ") and len(about.partition("\n\n")[0].split()) > 3, "what it is for"


def test_every_other_module_says_what_it_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    """As `python -m` begins it: the module's package is imported while sys.argv still begins with -m."""
    monkeypatch.setattr(modules, "programs", cache(programs))
    monkeypatch.setattr(sys, "argv", ["-m", "--help"])
    for name in MODULES:
        monkeypatch.setattr(sys, "orig_argv", ["python", "-X", "utf8", "-m", name, "--help"])
        with pytest.raises(SystemExit) as stopped:
            modules.require_program()
        description, printed, _ = capsys.readouterr().out.partition(f"\n\n{name} is imported by programs")
        assert not stopped.value.code and printed, name
        assert len(description.split()) > 3 or name.startswith(("solutions.ch", "book.labs.ch")), name


def test_a_program_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["-m", "--help"])
    for name in (*PROGRAMS, "pytest", "tools.none"):
        monkeypatch.setattr(sys, "orig_argv", ["python", "-m", name])
        modules.require_program()


@pytest.mark.parametrize(
    "name", ["tools.metrics", "solutions.grade", "exercises.commands", "data.download", "book.form"]
)
def test_a_module_does_not_run_in_silence(name: str) -> None:
    done = run_python("-m", name, "x", fresh=True)
    assert done.returncode == 2
    assert error_line(done.stderr) == f"error: {name} is not a program; python -m {name} --help lists the programs"
    done = run_python("-m", name, "--help", fresh=True)
    assert done.returncode == 0 and f"  python -m {programs(name.partition('.')[0])[0]} --help\n" in done.stdout
