"""`python -m tools.epoch_tables`: systems by the epoch that is best on dev, and only where all were searched alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from common.errors import UserError
from common.files import read_json
from tests.programs import ROOT
from tools import epoch_tables
from tools.epoch_tables import LABELS, grouped, read_run, show, with_best_epochs
from tools.experiment.equal_care import difference_table

RECORDS = sorted(ROOT.glob("chapters/*/figures/by_epoch*.json"))


def run_of(system: str, optimiser: str, seed: int, dev: list[float]) -> dict:
    """A recorded run; on test every perplexity is one less, and names that come back are ten times the perplexity."""

    def figures(perplexity: float) -> dict:
        return {"perplexity": perplexity, "recall": 10 * perplexity, "agreement": 2 * perplexity}

    epochs = [{"dev": figures(value), "test": figures(value - 1)} for value in dev]
    return {"system": system, "recipe": {"optimiser": optimiser}, "seed": seed, "epochs": epochs}


def runs_of_two() -> list[dict]:
    """Two systems, two recipes, two seeds: `none` is best by sgd, `single` by adam, in different epochs."""
    curves = {
        ("none", "adam"): [9.0, 8.0, 8.5],
        ("none", "sgd"): [20.0, 10.0, 7.0],
        ("single", "adam"): [6.0, 6.5, 7.0],
        ("single", "sgd"): [30.0, 12.0, 6.5],
    }
    return [
        run_of(*names, seed, [value + seed / 10 for value in dev]) for names, dev in curves.items() for seed in (1, 2)
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda runs: runs[:-1], "only one of none and single was trained by sgd with the seed 2"),
        (lambda runs: runs[1:], "only one of none and single was trained by adam with the seed 1"),
        (lambda runs: [*runs, runs[0] | {}], "two runs of none, adam have the seed 1; leave one out"),
    ],
)
def test_systems_that_were_not_searched_alike_are_refused(change, message: str) -> None:
    with pytest.raises(UserError, match=message):
        grouped(change(runs_of_two()))


def write_run(folder: Path, epochs: int, seed: int = 3, corpus: str = "a1", dev: float = 7.0) -> Path:
    """A run of two epochs, of which the tool has measured some; dev: what the training had after the second."""
    folder.mkdir()
    settings = {"score": "none", "optimiser": "adam", "epochs": 2, "seed": seed}
    config = {"settings": settings, "fingerprints": {"corpus": corpus}}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    history = [{"dev_perplexity": 8.0}, {"dev_perplexity": dev}]
    (folder / "metrics.json").write_text(json.dumps({"epochs": history}), encoding="utf-8")
    rows = [run_of("", "", 0, [value])["epochs"][0] for value in (8.0, 7.0, 6.0)[:epochs]]
    (folder / "by_epoch.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


@pytest.mark.parametrize(("epochs", "dev"), [(1, 7.0), (3, 7.0), (2, 7.1), (2, 7.00003)])
def test_a_run_of_other_epochs_or_on_another_corpus_is_refused(tmp_path: Path, epochs: int, dev: float) -> None:
    """The numbers of the same text are equal (measured: in all digits), so a small difference is one of the texts."""
    with pytest.raises(UserError, match="by_epoch.jsonl: not a finished run of tools.by_epoch"):
        read_run(write_run(tmp_path / "run", epochs, dev=dev), "score", ["optimiser"])


def test_runs_on_different_texts_are_not_compared(tmp_path: Path) -> None:
    runs = [
        read_run(write_run(tmp_path / text, 2, seed, text), "score", ["epochs"])
        for seed, text in ((1, "a1"), (2, "b2"))
    ]
    with pytest.raises(UserError, match="different texts"):
        grouped(runs)


def test_the_program_records_and_prints_again(tmp_path: Path, run_main: Callable, refuse_main: Callable) -> None:
    folder, record = write_run(tmp_path / "run", 2), tmp_path / "record.json"
    printed = run_main(epoch_tables.main, folder, "--record", record)
    assert printed == run_main(epoch_tables.main, "--from", record)
    assert "| none | adam | 2 | 1 | 2 | 7.00 | 6.00 |" in printed
    assert refuse_main(epoch_tables.main) == "error: name runs, --from with a record, or both"


def test_runs_are_added_to_a_record(tmp_path: Path, run_main: Callable, refuse_main: Callable) -> None:
    folders, record = [write_run(tmp_path / f"run{seed}", 2, seed) for seed in (3, 4)], tmp_path / "record.json"
    for arguments in ([folders[0]], [folders[1], "--from", record]):
        run_main(epoch_tables.main, *arguments, "--record", record)
    assert [run["seed"] for run in read_json(record)["runs"]] == [3, 4]
    assert "have the seed 4; leave one out" in refuse_main(epoch_tables.main, folders[1], "--from", record)


@pytest.mark.parametrize("content", ["", "[1]", '{"runs": [{}]}', '{"runs": [{"system": 1, "recipe": [], "seed": 0}]}'])
def test_a_damaged_record_is_one_line(tmp_path: Path, content: str, refuse_main: Callable) -> None:
    (tmp_path / "record.json").write_text(content, encoding="utf-8")
    line = refuse_main(epoch_tables.main, "--from", tmp_path / "record.json")
    assert line.endswith("record.json: not a record of this program; record it again")


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_recorded_systems_were_searched_alike_and_stand_on_the_page(path: Path) -> None:
    """All systems have all recipes with five seeds or more, and the page of results has the lines of the tables."""
    runs = read_json(path)["runs"]
    assert all(len(row["runs"]) >= 5 for row in grouped(runs))
    page = (path.parents[1] / "RESULTS.md").read_text("utf-8")
    missing = [line for line in show(runs) if line.startswith("| ") and line not in page]
    assert not missing


SCORES = {score: f"06_attentive_lm/figures/epochs_{score}.json" for score in ("none", "single", "combined")}
ROTARY = "11_transformer/figures/by_epoch_rotary.json"


@pytest.mark.parametrize(
    ("chapter", "records"),
    [
        ("06_attentive_lm", list(SCORES.values())),
        ("11_transformer", [SCORES["none"], ROTARY]),
        ("11_transformer", [SCORES["combined"], ROTARY]),
    ],
    ids=["scores", "transformer-none", "transformer-combined"],
)
def test_systems_at_their_best_stand_on_the_page(chapter: str, records: list[str]) -> None:
    """Each with the recipe that is best on dev, five seeds or more: the page has the paired differences."""
    rows = [with_best_epochs(grouped(read_json(ROOT / "chapters" / record)["runs"]))[0] for record in records]
    assert all(len(row["runs"]) >= 5 for row in rows)
    lines = difference_table(rows, list(LABELS.values()))
    page = (ROOT / "chapters" / chapter / "RESULTS.md").read_text("utf-8")
    assert len(lines) == 2 + (len(rows) - 1) * len(LABELS) and [line for line in lines if line not in page] == []
