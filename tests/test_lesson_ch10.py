"""What is recorded for chapter 10's lesson fits its figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from book.figures import ch10, ch10_record
from book.figures.recorded import record, recorded
from tests.explorer_runs import write_veldran
from tests.programs import make_call


@pytest.mark.slow
def test_what_is_recorded_is_what_the_figures_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With runs of a tiny model, by the commands that RESULTS.md names."""
    corpus, call = write_veldran(tmp_path / "hamlet_pairs"), make_call(monkeypatch, ch10_record.CHAPTER)
    small = ["--corpus", corpus, "--batch-size", 16, "--epochs", 1]
    call("train", *small, "--hidden-size", 8, "--likelihood-epochs", 1, "--run-dir", tmp_path / "base1")
    for objective in ch10_record.OBJECTIVES:
        where = ["--run-dir", tmp_path / f"{objective}1", "--start-from", tmp_path / "base1"]
        call("train", *small, *where, "--objective", objective, "--share", 0.2)
    found = ch10_record.measure(tmp_path, [1], 3)
    record(ch10_record.CHAPTER, ch10_record.COMMAND, {"seeds": [1]}, found, tmp_path)
    kept = recorded(ch10_record.CHAPTER)
    assert kept["command"] == ch10_record.COMMAND
    assert found.keys() == kept.keys() - {"command", "settings"}
    assert found["runs"].keys() == kept["runs"].keys() == set(ch10_record.OBJECTIVES) == set(ch10.NAMES)
    assert found["exposure"].keys() == kept["exposure"].keys()
    for objective in ch10_record.OBJECTIVES:
        assert found["runs"][objective]["1"].keys() == kept["runs"][objective]["1"].keys()
        assert list(kept["runs"][objective]) == ["1", "2", "3"]
    assert found["exposure"]["greedy"].keys() == kept["exposure"]["greedy"].keys()
    before = [found["runs"][objective]["1"]["before"] for objective in ch10_record.OBJECTIVES]
    assert all(one == before[0] for one in before), "all begin with the same model"
