"""How programs end: the exit status, the line that says why, and what a terminal shows of it."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from common.errors import UserError, exits_cleanly
from common.evaluation.perplexity import figures
from common.training import report
from common.training.pairs import Pairs
from tests.pairs import write_pairs
from tests.programs import ROOT, TINY, error_line, make_call, make_refused, run_program, run_python, write_corpus
from tests.test_structure import FOLDERS, python_files

resource = pytest.importorskip("resource") if os.name == "posix" else None


def raising(error: BaseException) -> Callable[[], None]:
    """A program that ends with this error."""

    def main() -> None:
        raise error

    return exits_cleanly(main)


@pytest.mark.parametrize(
    "error, line",
    [
        (UserError("the cow is gone"), "error: the cow is gone"),
        (PermissionError(errno.EACCES, "Permission denied", "/gate"), "error: /gate: Permission denied"),
        (OSError(errno.ENAMETOOLONG, "File name too long", "x" * 300), f"error: {'x' * 80}: File name too long"),
    ],
)
def test_a_name_that_is_refused_and_one_that_is_too_long(error: Exception, line: str, refuse_main: Callable) -> None:
    assert refuse_main(raising(error)) == line


def test_a_result_that_is_not_finite(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """Of numbers in a model that were changed to be huge: metrics.json cannot hold it."""
    drawings: list[tuple] = []
    monkeypatch.setattr(report, "draw_history", lambda *arguments: drawings.append(arguments))
    call = make_call(monkeypatch, curve=True)
    call("train", *TINY, "--epochs", 1, "--corpus", corpus, "--run-dir", tmp_path / "run")
    monkeypatch.setattr("common.training.text.figures", lambda *rest: figures(*rest) | {"perplexity": float("inf")})
    line = make_refused(call, capsys)("train", "--resume", "--run-dir", tmp_path / "run")
    assert "a result is not finite" in line and len(drawings) == 1, "it was drawn"


def test_translations_of_a_model_that_is_damaged_are_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """Neither those of dev, whose result is finite, nor those of test, whose is not."""
    call, run = make_call(monkeypatch, "07_encoder_decoder"), tmp_path / "run"
    call("train", *TINY, "--epochs", 1, "--corpus", write_pairs(tmp_path / "pairs"), "--run-dir", run)
    figures, texts = Pairs.figures, [run / f"{split}.hypotheses.txt" for split in ("dev", "test")]

    def damaged_figures(self: Pairs, model: object, words: object, *others: object) -> dict:
        damaged = {"perplexity": float("inf")} if words is self.words.test else {}
        return figures(self, model, words, *others) | damaged

    monkeypatch.setattr(Pairs, "figures", damaged_figures)
    for text in texts:
        text.write_text("kept\n", "utf-8")
    assert "a result is not finite" in make_refused(call, capsys)("train", "--resume", "--run-dir", run)
    assert [text.read_text("utf-8") for text in texts] == ["kept\n"] * 2


def test_a_fault_of_our_own_is_not_hidden() -> None:
    with pytest.raises(ValueError, match="a bug"):
        raising(ValueError("a bug"))()


@pytest.mark.skipif(os.name != "posix", reason="elsewhere the names of files are text")
def test_names_and_words_that_the_terminal_cannot_show(tmp_path: Path) -> None:
    """The name of a corpus is no text, and Python would print in a code page: the course prints UTF-8."""
    train = write_corpus(tmp_path / "farm", train=20, others=5) / "train.txt"
    train.write_text(train.read_text("utf-8").replace("anton", "あんと").replace("hen", "λ"), "utf-8")
    corpus = os.fsencode(tmp_path / "farm").replace(b"farm", b"\xff")
    os.rename(tmp_path / "farm", corpus)
    environment = {"PYTHONIOENCODING": "ascii", "COURSE_RUNS": str(tmp_path / "runs")}
    result = run_program("train", *TINY, "--corpus", os.fsdecode(corpus), env=environment)
    assert result.returncode == 0, result.stderr
    assert r"corpus \udcff: " in result.stdout and ("λ" in result.stdout or "あんと" in result.stdout)


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("CPU memory allocation failed")])
def test_memory_that_the_system_does_not_give(error: Exception, refuse_main: Callable) -> None:
    """The second is what DyNet says."""
    assert "gives no more memory; lower --memory" in refuse_main(raising(error))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not keep a limit of addresses")
@pytest.mark.parametrize(
    "megabytes, flags, line",
    [
        (200, [], "the limit of memory is 200 MB, and the course needs 300 MB"),
        (700, [], "may be used; make it smaller"),
        pytest.param(700, ["--memory", "20"], "gives no more memory", marks=pytest.mark.slow),
    ],
)
def test_a_limit_of_the_system(tmp_path: Path, corpus: Path, megabytes: int, flags: list[str], line: str) -> None:
    """`ulimit -v`, with a model that needs more."""
    size = megabytes * 2**20
    large = ["--hidden-size", "2000", "--epochs", "1", "--corpus", str(corpus), "--run-dir", str(tmp_path / "run")]
    limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))}
    result = run_program("train", *large, *flags, fresh=True, **limit)
    message = result.stderr.splitlines()[-1] if flags else result.stderr  # DyNet tells of its memory before
    assert result.returncode == 2 and line in error_line(message)


HUGE = "99999999999999999999"


@pytest.mark.parametrize(
    "command",
    [
        "-m data generate village --out {here} --sentences",
        "-m exercises check",
        "-m tools.compare --resamples",
        "chapters/06_attentive_lm/train.py --run-dir {here} --epochs",
        "chapters/08_attention/translate.py --beam",
    ],
)
def test_a_number_that_is_too_large(command: str, tmp_path: Path) -> None:
    words = [word.format(here=tmp_path / "here") for word in [*command.split(), HUGE]]
    result = run_python(*words)
    assert result.returncode == 2 and HUGE in error_line(result.stderr)
    assert not (tmp_path / "here").exists()


def test_every_program_reads_its_numbers_so() -> None:
    """No parser of argparse's own, which would take a number of any size, but where no user types the flags."""
    plain = [path for path in python_files(*FOLDERS) if "argparse.ArgumentParser(" in path.read_text("utf-8")]
    assert [path.relative_to(ROOT).as_posix() for path in plain] == ["common/runtime.py"]
