"""The comparison of chapter 9's variants: nothing is trained twice, and the tables say what was measured."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from common.metrics import bleu
from common.pairs import load_pairs
from tests.pairs import write_pairs
from tests.programs import Call, call_and_kill, error_line, make_call, metrics_of
from tools import ladder, variants
from tools.variants_report import write_report

SMALL = ["--hidden-size", 4, "--epochs", 2, "--batch-size", 16]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pairs(tmp_path_factory.mktemp("variants") / "farm")


@pytest.fixture
def train(monkeypatch: pytest.MonkeyPatch) -> Call:
    return make_call(monkeypatch, variants.CHAPTER)


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, train: Call) -> list[list[str]]:
    """The processes that were asked for; they are run within this one, and train small models."""
    asked: list[list[str]] = []

    def run(command: list[str], **options: object) -> SimpleNamespace:
        asked.append(command)
        train("train", *command[2:], *([] if "--resume" in command else SMALL))
        return SimpleNamespace(returncode=0, stderr="")

    monkeypatch.setenv("COURSE_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(ladder.subprocess, "run", run)
    return asked


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, corpus: Path) -> Callable[..., None]:
    """Runs the program on the corpus, and lets it write to `tmp_path`."""

    def run(*arguments: object) -> None:
        flags = ["--corpus", corpus, "--out", tmp_path, "--jobs", 1, "--resamples", 20, *arguments]
        monkeypatch.setattr(sys, "argv", ["variants", *map(str, flags)])
        variants.main()

    return run


def rows(text: str) -> dict[str, list[str]]:
    """The rows of all tables by their first cell; of several the first."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: row[1:] for row in reversed(cells)}


def test_variants_are_trained_compared_and_shown(
    commands: list, compare: Callable, train: Call, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of the trainings was interrupted before and goes on; a second call trains nothing."""
    (begun,) = [rung for rung in variants.variants_of("quick") if rung.name == "word"]
    folder = begun.folder(str(corpus), 2)
    flags = ["--variant", "word", "--seed", 2, "--corpus", corpus, "--run-dir", folder]
    call_and_kill(train, monkeypatch, *SMALL, *flags)
    compare("--seeds", 2)
    assert len(commands) == 6
    assert [command for command in commands if "--resume" in command] == [
        [*commands[0][:2], "--run-dir", str(folder), "--resume"]
    ]
    compare("--seeds", 2)
    assert len(commands) == 6
    found = json.loads((tmp_path / "variants.json").read_text("utf-8"))["farm"]
    references = [pair.target for pair in load_pairs(str(corpus)).test]
    for rung in variants.variants_of("quick"):
        for seed, run in zip((1, 2), found["runs"][rung.name], strict=True):
            metrics, place = metrics_of(rung.folder(str(corpus), seed)), rung.folder(str(corpus), seed)
            hypotheses = [line.split() for line in (place / "test.hypotheses.txt").read_text("utf-8").splitlines()]
            assert (run["seed"], run["parameters"], run["epochs"]) == (seed, metrics["parameters"], 2)
            assert run["perplexity"] == {split: metrics[split]["perplexity"] for split in ("dev", "test")}
            assert run["BLEU"] == pytest.approx(bleu(hypotheses, references).value)
        assert found["words_per_cpu_second"][rung.name] > 0
    for row in found["differences"]:
        seeds = [
            other[row["metric"]] - one[row["metric"]]
            for one, other in zip(found["runs"][row["first"]], found["runs"][row["second"]], strict=True)
        ]
        assert [seed["found"] for seed in row["seeds"]] == pytest.approx(seeds)
        assert row["means"]["found"] == pytest.approx(sum(seeds) / 2)
    table = rows((tmp_path / "VARIANTS.md").read_text("utf-8"))
    for name, runs in found["runs"].items():
        assert table[f"`{name}`"][0] == f"{runs[0]['parameters']:,}"


INVENTED = {
    "preset": "quick",
    "metrics": ["BLEU"],
    "runs": {
        name: [
            {"seed": seed, "parameters": 1234, "perplexity": {"dev": 3.0, "test": best + seed}, "BLEU": 10.0 * seed}
            for seed in (1, 2)
        ]
        for name, best in (("rnnsearch", 2.0), ("word", 1.0))
    },
    "words_per_cpu_second": {"rnnsearch": 2000.4, "word": 1500.0},
    "differences": [
        {
            "first": "rnnsearch",
            "second": "word",
            "metric": "BLEU",
            "seeds": [
                {"found": 1.0, "low": -1.0, "high": 2.0, "p": 0.2},
                {"found": -0.25, "low": -1, "high": 1, "p": 1},
            ],
            "means": {"found": 0.375, "low": 0.1, "high": 0.7, "p": 0.0123},
        }
    ],
}


def test_report(tmp_path: Path) -> None:
    text = write_report({"farm": INVENTED, "yard": INVENTED}, tmp_path).read_text("utf-8")
    assert text.count("## farm") == text.count("## yard") == 1
    assert "Preset `quick`, 2 seeds." in text
    table = rows(text)
    assert table["`rnnsearch`"] == ["1,234", "3.00 ± 0.00", "3.50 ± 0.71", "15.00 ± 7.07", "2,000"]
    better = ["BLEU", "+1.00 (p = 0.200)", "-0.25 (p = 1.000)", "**+0.38 (p = 0.012)**", "+0.10 to +0.70"]
    assert table["`word` than `rnnsearch`"] == better


def test_a_run_on_another_corpus_of_the_same_name(
    commands: list, compare: Callable, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    compare("--seeds", 1)
    capsys.readouterr()
    other = write_pairs(tmp_path / "yard" / "farm", seed=2)
    with pytest.raises(SystemExit) as stopped:
        compare("--seeds", 1, "--corpus", other)
    assert stopped.value.code == 2 and "another corpus of this name" in error_line(capsys.readouterr().err)
    assert len(commands) == 3


def test_a_preset_is_another_training() -> None:
    quick, other = (variants.variants_of(preset) for preset in ("quick", "large"))
    assert all(one.folder("farm", 1) != two.folder("farm", 1) for one, two in zip(quick, other, strict=True))
    assert other[0].flags == ("--variant", "rnnsearch", "--preset", "large")
    of_ladder = [rung for rung in ladder.PAIR_RUNGS if rung.chapter == variants.CHAPTER]
    assert [rung.folder("farm", 1) for rung in quick] == [rung.folder("farm", 1) for rung in of_ladder]


@pytest.mark.parametrize(
    "flags, complaint", [(["--seeds", 0], "must be at least 1"), (["--corpus", "nowhere"], "no corpus 'nowhere'")]
)
def test_bad_flags(compare: Callable, capsys: pytest.CaptureFixture, flags: list, complaint: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        compare(*flags)
    assert stopped.value.code == 2 and complaint in error_line(capsys.readouterr().err)
