"""What builds change beside what seeds change: differences of invented runs, worked out by hand."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import stdev

import pytest

from common.errors import UserError
from tests.programs import error_line, write_lines
from tools.analyse import __main__ as analyse
from tools.analyse.builds import read_builds

PERPLEXITIES = {"wheel": (2.0, 2.125, 2.25), "blas": (2.0625, 2.125, 2.375)}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Three seeds of chapter 9 and one of chapter 6, which has no BLEU, with each build; of "blas" a fourth seed."""
    for build, values in PERPLEXITIES.items():
        for seed, value in enumerate(values, start=1):
            write_run(tmp_path / f"{build}-{seed}", "09_words", seed, {"perplexity": value, "bleu": 20 * value})
        write_run(tmp_path / f"{build}-lm", "06_lm", 1, {"perplexity": 7.0 + (build == "blas")})
    write_run(tmp_path / "blas-4", "09_words", 4, {"perplexity": 90.0, "bleu": 1.0})
    return tmp_path


def write_run(folder: Path, chapter: str, seed: int, test: dict) -> None:
    folder.mkdir()
    content = {"chapter": chapter, "corpus": "village_pairs", "seed": seed, "test": test}
    write_lines(folder / "metrics.json", [json.dumps(content)])


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, place: Path) -> Callable[[str], list[str]]:
    """Runs the program; builds and their runs are given as "wheel 1 2, blas 1 lm"."""

    def run(groups: str) -> list[str]:
        arguments = []
        for name, *runs in map(str.split, groups.split(",")):
            arguments += ["--build", name, *(str(place / f"{name}-{run}") for run in runs)]
        monkeypatch.setattr(sys, "argv", ["analyse", "--by", "build", *arguments])
        analyse.main()
        return capsys.readouterr().out.splitlines()

    return run


def test_a_measure_that_one_run_lacks_is_left_out(call: Callable, place: Path) -> None:
    write_run(place / "wheel-4", "09_words", 4, {"perplexity": 80.0})
    write_run(place / "wheel-5", "09_words", 5, {"perplexity": 8.0, "bleu": 1.0})
    write_run(place / "blas-5", "09_words", 5, {"perplexity": 9.0})
    for runs in ("wheel 3 4, blas 3 4", "wheel 3 5, blas 3 5"):
        (row,) = call(runs)[2:]
        assert [cell.strip() for cell in row.strip("|").split("|")][-3:] == ["", "", ""]


def test_table(call: Callable) -> None:
    """The fourth seed has one build only, and does not count."""
    header, _, *rows = call("wheel 1 2 3 lm, blas 4 3 2 1 lm")
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    deviation = stdev(PERPLEXITIES["blas"])
    assert cells == [
        ["06_lm", "village_pairs", "1", "1.000", "", "", "", "", ""],
        [
            *("09_words", "village_pairs", "3"),
            *("0.125", "0.312", f"{deviation:.3f}", "2.50", "6.25", f"{20 * deviation:.2f}"),
        ],
    ]
    assert header.count("|") == len(cells[0]) + 1 and header.index("builds") < header.index("seeds", 25)


@pytest.mark.parametrize(
    "groups, complaint",
    [
        ("wheel 1 2", "two builds or more"),
        ("wheel 1, wheel 2", "--build wheel: there twice"),
        ("wheel 1 1, blas 1", "wheel has seed 1 of 09_words on village_pairs already"),
        ("wheel 1, blas 5", "no finished run"),
        ("wheel 1, blas 4 lm", "no chapter was trained with the same seed and every build"),
    ],
)
def test_bad_input(call: Callable, groups: str, complaint: str, capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit) as stopped:
        call(groups)
    assert stopped.value.code == 2 and complaint in error_line(capsys.readouterr().err)


@pytest.mark.parametrize(
    "change", [{"seed": [1]}, {"seed": "1"}, {"chapter": 9}, {"corpus": None}, {"test": 2.5}, {"test": {"bleu": "x"}}]
)
def test_results_of_another_type(place: Path, change: dict) -> None:
    """Such files were tracebacks of sorting, of keys and of differences."""
    path = place / "wheel-1" / "metrics.json"
    write_lines(path, [json.dumps(json.loads(path.read_text("utf-8")) | change)])
    with pytest.raises(UserError, match="no readable results") as refused:
        read_builds([["wheel", str(place / "wheel-1")], ["blas", str(place / "blas-1")]])
    assert str(path) in str(refused.value)
