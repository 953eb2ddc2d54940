"""Standard input, output and error that are closed, full, or read no further: one line, and never a silent loss."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.programs import CHAPTERS, TINY, error_line, leftovers, run_program, run_python, start

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="uses Linux's /dev/full and forks")
STREAMS = ("stdin", "stdout", "stderr")
GENERATE = ["--number", "30"]
UNWRITABLE = "error: cannot write to standard output"
CUT_OFF = "so training stops; {run}/log.txt has every line, and --run-dir {run} --resume continues it"


def close(*numbers: int) -> Callable[[], None]:
    """What `<&-`, `>&-` and `2>&-` do to a new process, and Python at its start."""

    def closed() -> None:
        for number in numbers:
            os.close(number)
            setattr(sys, STREAMS[number], None)

    return closed


def fill(number: int) -> Callable[[], None]:
    """A disk that is full behind a stream."""
    return lambda: os.dup2(os.open("/dev/full", os.O_WRONLY), number) and None


def read_no_further() -> None:
    """Standard output is a pipe whose reader has ended."""
    reader, writer = os.pipe()
    os.dup2(writer, 1)
    os.close(reader)
    os.close(writer)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)


@pytest.fixture(scope="module")
def run(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model that is trained."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    assert train(folder, corpus).returncode == 0
    return folder


def train(folder: Path, corpus: Path, *flags: str, **options):
    return run_program("train", *TINY, "--corpus", str(corpus), "--run-dir", str(folder), *flags, **options)


@pytest.mark.parametrize(
    "flags, change",
    [(GENERATE, fill(1)), (["--help"], fill(1)), (GENERATE, close(1)), (["--score", __file__], fill(2))],
)
def test_a_full_disk_and_output_that_is_closed(run: Path, flags: list[str], change: Callable[[], None]) -> None:
    result = run_program("generate", "--run", str(run), *flags, preexec_fn=change)
    assert result.returncode == 2
    assert flags[0] == "--score" or error_line(result.stderr).startswith(UNWRITABLE)


@pytest.mark.parametrize("module", ["data", "tools.equations"])
def test_so_it_is_with_programs_of_packages(module: str) -> None:
    show = ["show", "village"] if module == "data" else []
    result = run_python("-m", module, *show, preexec_fn=fill(1))
    assert result.returncode == 2 and error_line(result.stderr).startswith(UNWRITABLE)


@pytest.mark.parametrize("flags", [GENERATE, ["--help"]], ids=" ".join)
def test_a_reader_that_has_had_enough_ends_a_program_as_sigpipe_does(run: Path, flags: list[str]) -> None:
    result = run_program("generate", "--run", str(run), *flags, preexec_fn=read_no_further)
    assert (result.returncode, result.stderr) == (141, "")


@pytest.mark.parametrize("change", [fill(1), read_no_further], ids=["full", "no reader"])
def test_a_training_that_nobody_can_read_stops_and_can_be_continued(
    corpus: Path, tmp_path: Path, change: Callable[[], None]
) -> None:
    run = tmp_path / "run"
    result = train(run, corpus, preexec_fn=change)
    assert result.returncode == 2 and error_line(result.stderr).endswith(CUT_OFF.format(run=run))
    assert (run / "log.txt").read_text("utf-8").startswith("corpus farm") and not (run / "metrics.json").exists()
    assert train(run, corpus, "--resume").returncode == 0 and (run / "metrics.json").exists()


def test_standard_error_is_not_needed(corpus: Path, tmp_path: Path) -> None:
    """What DyNet says there must not be written into the file that was opened next."""
    result = train(tmp_path / "run", corpus, preexec_fn=close(0, 2))
    assert result.returncode == 0 and (tmp_path / "run" / "metrics.json").exists()
    assert (tmp_path / "run" / ".lock").read_bytes() == b"" and not leftovers(tmp_path)


def test_an_error_that_cannot_be_said_is_a_status(run: Path) -> None:
    for change in (close(2), fill(2), close(0, 1, 2)):
        assert run_program("generate", "--run", str(run / "none"), preexec_fn=change).returncode == 2


@pytest.mark.parametrize("chapter, name", [("06_attentive_lm", "generate"), ("01_ngram_lm", "generate")])
def test_input_that_is_closed(run: Path, corpus: Path, tmp_path: Path, chapter: str, name: str) -> None:
    if chapter < "02":
        run = tmp_path / "counts"
        flags = ["--order", "2", "--corpus", str(corpus), "--run-dir", str(run)]
        assert run_program("train", *flags, chapter=chapter).returncode == 0
    result = run_program(name, "--run", str(run), "--score", "-", chapter=chapter, preexec_fn=close(0))
    assert result.returncode == 2 and "standard input: Bad file descriptor" in error_line(result.stderr)


@pytest.mark.needs("time")
@pytest.mark.slow
@pytest.mark.parametrize("number, status", [(0, 0), (1, 2), (2, 0)])
def test_streams_that_a_shell_has_closed(corpus: Path, tmp_path: Path, number: int, status: int) -> None:
    """A process that Python starts so, with all that is loaded before the program begins."""
    program = [str(CHAPTERS / "06_attentive_lm" / "train.py"), *TINY, "--corpus", str(corpus)]
    process = start([*program, "--run-dir", str(tmp_path / "run")], preexec_fn=lambda: os.close(number))
    process.communicate(timeout=120)
    assert process.returncode == status
