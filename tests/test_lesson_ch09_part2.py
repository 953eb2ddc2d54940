"""Chapter 9's second part: what is recorded fits its figures and its table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from book.figures import ch09_part2_record as recording, ch09_part2_runs as runs
from book.lessons import read
from common.text import alignment, pairs
from tests.programs import make_call, metrics_of

CHAPTER = "09_word_attention"


def test_scores_by_system_are_those_of_the_runs() -> None:
    """Three of rouge for each run; as many runs of each system as were recorded."""
    found = runs.scores()
    assert list(found) == list(runs.NAMES)
    for name, one in runs.recorded()["runs"].items():
        assert found[name].shape == (len(one), 3) and len({run["seed"] for run in one}) == len(one)
        np.testing.assert_allclose(found[name][0], [one[0][kind] for kind in runs.ROUGE])
    for name in runs.AS_PRINTED:
        assert len(found[name]) == 5


def test_the_table_of_results_is_that_of_the_runs() -> None:
    rows, text = list(recording.table(runs.recorded()["runs"])), read(f"chapters/{CHAPTER}/RESULTS.md")
    assert len(rows) == 2 + len(runs.NAMES)
    for row in rows:
        assert row + "\n" in text


def test_what_is_recorded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tiny runs give everything that the figures read, in the same form."""
    read_pairs, read_alignments = pairs.read_pairs, alignment.read_alignments
    monkeypatch.setattr(alignment, "read_alignments", lambda path, _: read_alignments(path)[:40])
    monkeypatch.setattr(pairs, "read_pairs", lambda folder, split: read_pairs(folder, split)[:40])
    call = make_call(monkeypatch, CHAPTER)
    for name in recording.SYSTEMS:
        call("train", "--preset", name, "--hidden-size", 4, "--epochs", 1, "--run-dir", tmp_path / f"{name}-1")
    found = recording.measure(
        {name: [tmp_path / f"{name}-1"] for name in recording.SYSTEMS}, pairs.load_pairs(recording.CORPUS)
    )
    published = runs.recorded()
    assert found.keys() == published.keys() - {"command"}
    for name, (entry,) in found["runs"].items():
        assert entry.keys() == published["runs"][name][0].keys()
        assert entry["ROUGE-L"] == metrics_of(tmp_path / f"{name}-1")["test"]["rougeL"]
    assert found["sentence"].keys() == published["sentence"].keys()
    assert found["sentence"]["source"] == published["sentence"]["source"]
    for weights in found["sentence"]["attention"].values():
        assert np.array(weights).shape == (len(found["sentence"]["target"]) + 1, len(found["sentence"]["source"]))
        np.testing.assert_allclose(np.sum(weights, axis=1), 1, atol=1e-4)
