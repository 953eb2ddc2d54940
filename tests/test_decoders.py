"""The table of chapter 8's decoders: nothing is trained twice, and it says what the runs have written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from common.errors import UserError
from common.executor import Children
from common.text.pairs import load_pairs
from tests.pairs import write_pairs
from tests.programs import make_call, metrics_of
from tools.experiment import __main__ as experiment, decoders
from tools.experiment.systems import DECODERS, FED

SMALL = ["--hidden-size", 4, "--epochs", 1, "--batch-size", 16]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Pairs with true alignments: the first words of both sides."""
    folder = write_pairs(tmp_path / "farm")
    for split in ("train", "dev", "test"):
        lines = (folder / f"{split}.source").read_text("utf-8").splitlines()
        (folder / f"{split}.align").write_text("0-0\n" * len(lines), "utf-8")
    return folder


@pytest.fixture
def show(monkeypatch: pytest.MonkeyPatch, corpus: Path, tmp_path: Path, run_main: Callable) -> Callable[..., str]:
    """Runs the program, with trainings in this process, and counts them; what it prints."""
    train = make_call(monkeypatch, "08_attention")

    def run(command: list[str], **options: object) -> SimpleNamespace:
        call.trainings += 1
        train("train", *command[2:], *SMALL)
        return SimpleNamespace(returncode=0, stderr="")

    def call(*arguments: object) -> str:
        return run_main(experiment.main, "decoders", "--corpus", corpus, "--jobs", 1, *arguments)

    call.trainings = 0
    monkeypatch.setenv("COURSE_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(Children, "run", staticmethod(run))
    return call


def test_systems_are_trained_once_and_shown(show: Callable, corpus: Path) -> None:
    arguments = ["--seeds", 2, "--systems", "fed,default"]
    show(*arguments)
    assert show.trainings == 4
    lines = [line.strip("| ").split(" | ") for line in show(*arguments).splitlines()]
    assert show.trainings == 4, "nothing is trained twice"
    assert [row[0] for row in lines[2:]] == ["`default`", "`fed`"] and lines[0] == list(decoders.HEAD)
    references = [pair.target for pair in load_pairs(str(corpus)).test]
    for (name, seeds, parameters, perplexity, bleu, error, _, more, length), flags in zip(
        lines[2:], ((), FED), strict=True
    ):
        runs = [DECODERS[name.strip("`")].folder(str(corpus), seed) for seed in (1, 2)]
        tests = [metrics_of(run)["test"] for run in runs]
        assert (seeds, parameters) == ("2", f"{metrics_of(runs[0])['parameters']:,}")
        assert metrics_of(runs[0])["settings"]["readout"] == ("attentional" if flags else "plain")
        written = [[x.split() for x in (run / "test.hypotheses.txt").read_text("utf-8").splitlines()] for run in runs]
        for cell, values in (
            (perplexity, [test["perplexity"] for test in tests]),
            (bleu, [test["bleu"] for test in tests]),
            (error, [100 * test["alignment"]["error_rate"] for test in tests]),
            (more, [decoders.repeated(outputs, references) for outputs in written]),
            (length, [sum(map(len, outputs)) / sum(map(len, references)) for outputs in written]),
        ):
            assert cell == decoders.spread(values) and "±" in cell


def test_translations_of_another_corpus_are_one_line(show: Callable, corpus: Path) -> None:
    show("--seeds", 1, "--systems", "default")
    run = DECODERS["default"].folder(str(corpus), 1)
    lines = (run / "test.hypotheses.txt").read_text("utf-8").partition("\n")[2]
    (run / "test.hypotheses.txt").write_text(lines, "utf-8")
    with pytest.raises(UserError, match="the corpus has changed"):
        decoders.row("default", [run], load_pairs(str(corpus)))


def test_error_rates_that_are_not_there() -> None:
    """Of a corpus without links, of a run by an older program, and of a damaged one: an empty cell."""
    good = {"alignment": {"error_rate": 0.25}}
    assert decoders.error_rates([good, good], "error_rate") == "25.0 ± 0.0"
    for other in ({}, {"alignment": {}}, {"alignment": [1]}, {"alignment": {"error_rate": "x"}}):
        assert decoders.error_rates([good, other], "error_rate") == ""


def test_repeated_words_by_hand() -> None:
    """ba stands three times for once; do twice, as in the reference; ku, wrong, once; mi, wrong, twice."""
    outputs = ["ba ba do ba do".split(), "ku mi mi".split()]
    references = ["ba do do".split(), "ba".split()]
    assert decoders.repeated(outputs, references) == pytest.approx(1000 * 3 / 8)
    assert decoders.repeated([[]], [["ba"]]) == 0
