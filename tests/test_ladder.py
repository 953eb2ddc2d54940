"""The ladder's report: what it shows is what was measured, and what is trained is not trained again."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace

import pytest
from matplotlib.image import imread

from book.explorer.shelf import LANGUAGE, TRANSLATION, kind_of
from common.executor import Children
from common.programs.chapters import NAMES
from tools import metrics
from tools.experiment import ladder, ladder_report
from tools.experiment.runs import ladder_folder, make_trainings, train, train_all
from tools.experiment.systems import LANGUAGE_MODELS, TRANSLATION_MODELS

ORACLE = {"local": (700, 5.0), "selection": (100, 20.0), "agreement": (80, 7.0)}
ORACLE |= {"recall": (60, 1.1), "topic": (40, 30.0), "name": (20, 160.0)}
FACTOR = {"first": 8.0, "second": 2.0, "third": 1.5}
LABELS = [*ladder_report.PAIR_CLAIMS, *ladder_report.PAIR_OTHERS]


def run(seed: int, perplexity: float, unknown: int = 7) -> dict:
    test = {"perplexity": perplexity, "oracle_perplexity": 8.0, "unknown": unknown, "bleu": perplexity / 2}
    test |= {"known_perplexity": perplexity / 2, "oracle_known_perplexity": 5.0, "signature": "as:is"}
    versions = {"python": "3.11.7", "dynet": "dynet38 2.2", "numpy": "2.0", "machine": "Linux x86_64"}
    speed = {"tokens_per_second": 5000.0 + seed, "seconds": 40.0}
    return {"seed": seed, "parameters": 1234, "versions": versions, "test": test, **speed}


@pytest.fixture
def measured() -> dict:
    """Three invented rungs, three seeds each; every phenomenon falls alike, recall only on the third rung."""
    rungs = []
    for place, (name, factor) in enumerate(FACTOR.items()):
        decided = {label: (count, best * factor) for label, (count, best) in ORACLE.items()}
        decided["recall"] = (60, 4.4 if place == 2 else 110.0)
        metrics = [run(seed, 8.0 * factor + shift) for seed, shift in ((1, -1.0), (2, 0.0), (3, 1.0))]
        rungs.append({"chapter": f"0{place + 1}_{name}", "name": name, "metrics": metrics, "phenomena": [decided] * 3})
    return {"rungs": rungs, "oracle": ORACLE}


@pytest.fixture
def translation() -> dict:
    """Two invented rungs of one seed, ambiguity of use to the second only, which has no unknown words."""
    oracle = {label: (10, 1.0) for label in LABELS}
    worse, better = {label: (10, 6.0) for label in LABELS}, {label: (10, 3.0) for label in LABELS}
    better["ambiguity"] = (10, 1.25)
    before = {"chapter": "07_pairs", "name": "before", "metrics": [run(1, 12.0, unknown=7)], "phenomena": [worse]}
    after = {"chapter": "08_more", "name": "after", "metrics": [run(1, 9.0, unknown=0)], "phenomena": [better]}
    return {"rungs": [before, after], "oracle": oracle}


def rows(text: str) -> dict[str, list[str]]:
    """The rows of all tables, by their first cell."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return {cells[0]: cells[1:] for cells in ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)}


@pytest.mark.slow
def test_report(measured: dict, translation: dict, tmp_path: Path) -> None:
    ptb = {"preset": "ptb", "parameters": 9, "epochs": 5, "seconds": 90.0, **PTB}
    text, *pictures = ladder_report.write_report(measured, translation, {"02_second": ptb}, tmp_path / "new")
    content = text.read_text("utf-8")
    table = rows(content)
    assert "on the embedded corpora with 3 seeds each" in content
    first = "first|1,234|64.0 ± 1.0|+700%|32.0 ± 0.5|+540%|5,002|40|"
    assert table["[01](chapters/01_first/README.md)"] == first.split("|")
    assert table["[02](chapters/02_second/README.md)"][-1] == "101.3"
    assert table["02"] == ["`ptb`", "9", "5", "105.68", "101.26"]
    assert table["a name that comes back"] == ["60", "1.10", "110 ± 0", "110 ± 0", "4.40 ± 0.00"]
    assert table["local order"] == ["700", "5.00", "40.0 ± 0.0", "10.00 ± 0.00", "7.50 ± 0.00"]
    recall = f"- a name that comes back: {math.log(25):.2f}, from second to third; on the last rung {math.log(4):.2f}"
    assert recall in content
    assert f"- local order: {math.log(4):.2f}, from first to second; on the last rung {math.log(1.5):.2f}" in content
    assert table["[08](chapters/08_more/README.md)"] == ["after", *"1,234|9.00|+12%|||5,001|40|4.50".split("|")]
    assert table["which of two meanings"] == ["10", "1.00", "6.00", "1.25"]
    assert f"- which of two meanings: {math.log(6 / 1.25):.2f}, from before to after; on the last rung" in content
    assert [imread(picture).ndim for picture in pictures] == [3, 3] and len(pictures) == 2


PTB = {"tokens_per_second": 4000.0, "dev": 105.678, "test": 101.26, "seed": 1}


def test_numbers_have_three_figures() -> None:
    values = [metrics.three_digits(value) for value in (1.099, 19.99, 20.04, 99.94, 137.4)]
    assert values == ["1.10", "19.99", "20.0", "99.9", "137"]
    assert metrics.spread([14.0]) == "14.00"
    assert metrics.spread([100.0, 110.0, 120.0]) == "110 ± 10"
    assert metrics.spread([1.0, 2.0, 6.0], 1) == "3.0 ± 2.6" and metrics.spread([1.25], 1) == "1.2"
    assert metrics.spread([], 1) == metrics.spread([math.nan], 1) == ""


def test_every_chapter_that_trains_a_model_of_text_is_a_rung() -> None:
    for rungs, kind in ((LANGUAGE_MODELS, LANGUAGE), (TRANSLATION_MODELS, TRANSLATION)):
        assert {rung.chapter for rung in rungs} == {name for name in NAMES if kind_of(name) == kind}


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """Those of the trainings that are asked for; nothing is trained, but each leaves what a training leaves."""
    requests: list[list[str]] = []

    def run(command: list[str], **options: object) -> SimpleNamespace:
        requests.append(command)
        folder = Path(command[command.index("--run-dir") + 1])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "metrics.json").write_text(json.dumps({"seed": 1}), "utf-8")
        return SimpleNamespace(returncode=0, stderr="")

    monkeypatch.setenv("COURSE_RUNS", str(tmp_path))
    monkeypatch.setattr(Children, "run", staticmethod(run))
    return requests


def test_figures_of_the_penn_treebank_are_written_down(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    results = {"preset": "p", "seed": 1, "parameters": 7, "tokens_per_second": 1.0, "seconds": 2.0, "epochs": [{}]}
    results |= {split: {"perplexity": 100.0} for split in ("dev", "test")}
    monkeypatch.setattr(ladder, "PTB_TABLE", tmp_path / "ptb.json")
    monkeypatch.setattr(ladder, "read_metrics", lambda folder: results)
    ladder.write_ptb(LANGUAGE_MODELS[:2], 1)
    row = results | {"epochs": 1, "dev": 100.0, "test": 100.0}
    assert ladder.read_table(tmp_path / "ptb.json") == {rung.chapter: row for rung in LANGUAGE_MODELS[:2]}


def test_all_rungs_and_seeds_in_order(commands: list) -> None:
    """What is trained is not trained again; the Penn Treebank has presets of its own."""
    by_corpus = (make_trainings(rungs, corpus, range(1, 3)) for corpus, rungs in ladder.RUNGS.items())
    requested = [training for trainings in by_corpus for training in trainings]
    train_all(requested, 2, "", ladder_folder())
    train(requested[0])
    assert all(training.is_finished() for training in requested)
    assert [training.flags[1::2][:2] for training in requested[:3]] == [("village", seed) for seed in "121"]
    folders = {training.folder for training in requested}
    assert len(folders) == len(commands) == 2 * len([*LANGUAGE_MODELS, *TRANSLATION_MODELS])
    gates = next(command for command in commands if "gates" in command)
    assert gates[-2:] == ["--variant", "gates"]
    rung = LANGUAGE_MODELS[0]
    assert rung.training("ptb", 2).flags[-2:] == ("--preset", rung.ptb)
