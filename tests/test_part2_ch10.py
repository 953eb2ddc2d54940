"""What is recorded for the figures of chapter 10's second part."""

from __future__ import annotations

from pathlib import Path

import pytest

from book.figures import ch10_part2, ch10_part2_record
from book.figures.__main__ import figures_of
from book.figures.recorded import record
from book.figures.style import styled
from book.lessons.cells import namespace
from common.errors import UserError
from tests.pairs import write_pairs
from tests.programs import make_call

LESSON = namespace("10", 2)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs that are recorded, one seed, on a few pairs."""
    folder = tmp_path_factory.mktemp("runs")
    corpus = write_pairs(folder / "farm")
    (corpus / "corpus.json").write_text('{"task": "summarisation"}\n', "utf-8")
    small = ["--hidden-size", 8, "--batch-size", 8, "--corpus", corpus, "--epochs", 1]
    flags = {"plain": [], "bias": ["--lexicon", "bias"], "linear": ["--lexicon", "linear"], "copying": ["--copying"]}
    with pytest.MonkeyPatch.context() as monkeypatch:
        call = make_call(monkeypatch, ch10_part2_record.CHAPTER)
        for system, own in flags.items():
            run = folder / f"{system}1"
            call("train", *small, "--likelihood-epochs", 1, *own, "--run-dir", run)
            call("names", "--run", run)
        for risk in ch10_part2_record.RISKS:
            flags = ["--start-from", folder / "plain1", "--risk", risk, "--objective", "reinforce"]
            call("train", *small[2:], *flags, "--run-dir", folder / f"by{risk}1")
    return folder


@pytest.mark.slow
def test_what_is_recorded_can_be_drawn(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = ch10_part2_record.measure(runs, seeds=(1,), sentence="the hen sees a wombat")
    assert set(found["names"]) == set(ch10_part2_record.SYSTEMS) == set(ch10_part2.SYSTEMS)
    assert len(found["gate"]["words"]) == len(found["gate"]["copied"])
    assert all(0 < share < 1 for share in found["gate"]["copied"])
    assert 0.4 < found["share_of_lexicon"]["1"] < 0.6, "a few steps from one half"
    before = {str(found["risks"][risk]["1"]["before"]) for risk in ch10_part2_record.RISKS}
    assert len(before) == 1 and "rougeL" in before.pop()
    command = "python chapters/10_beyond/train.py"
    path = record("10_beyond", command, {}, found, tmp_path, name="figures/recorded_part2.json")
    assert path.name == "recorded_part2.json"
    for run in found["names"].values():
        for row in run["1"]["names"].values():
            row["names"] = 1
    monkeypatch.setitem(LESSON, "part2", found)
    monkeypatch.setitem(LESSON, "often", list(found["names"]["plain"]["1"]["names"]))
    with styled():
        for draw in figures_of(ch10_part2)[-2:]:
            assert draw().axes


def test_a_missing_run_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="RESULTS.md has the command"):
        ch10_part2_record.measure(tmp_path)
