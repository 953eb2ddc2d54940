"""What chapter 9's second part prints and draws: the worked examples beside plain arithmetic, and what is recorded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from book.blocks import with_excerpts, wrong_numbers
from book.figures import ch09_part2_record as recording, ch09_part2_runs as runs
from book.lessons import read
from book.worked import ch09_part2 as worked
from common.text import alignment, pairs
from tests.attention_reference import softmax
from tests.programs import make_call, metrics_of

CHAPTER = "09_word_attention"
PAGE = f"chapters/{CHAPTER}/PART2.md"


def history(number: int) -> np.ndarray:
    """The embeddings of the last two words, one below the other."""
    written = ["</s>", "</s>", *worked.HEADLINE[:number]][-2:]
    return np.array([worked.TARGETS[word] for word in written], dtype=float).ravel()


def smoothed(source: list[str]) -> np.ndarray:
    rows = np.array([(0, 0), *(worked.WORDS[word] for word in source), (0, 0)], dtype=float)
    return (rows[:-2] + rows[1:-1] + rows[2:]) / 3


@pytest.mark.parametrize("encoder", ["attention", "bag-of-words"])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_worked_steps_of_abs(number: int, encoder: str) -> None:
    words = np.array([worked.WORDS[word] for word in worked.SOURCE], dtype=float)
    p = softmax(words @ worked.P @ history(number)) if encoder == "attention" else np.full(5, 0.2)
    encoded = p @ (smoothed(worked.SOURCE) if encoder == "attention" else words)
    hidden = np.tanh(worked.U @ history(number))
    rows = [(np.array(V), np.array(W)) for V, W in worked.OUTPUT.values()]
    scores = np.array([V @ hidden + W @ encoded for V, W in rows])
    found = worked.step(number, encoder)
    np.testing.assert_allclose(found.weights, p, atol=1e-6)
    np.testing.assert_allclose(found.encoded, encoded, atol=1e-6)
    np.testing.assert_allclose(found.hidden, hidden, atol=1e-6)
    np.testing.assert_allclose([found.logits[word] for word in worked.OUTPUT], scores, atol=1e-6)
    np.testing.assert_allclose([found.probabilities[word] for word in worked.OUTPUT], softmax(scores), atol=1e-6)


def test_abs_gives_mirrored_sources_one_headline_and_ras_does_not() -> None:
    one, other = (worked.step(0, source=tuple(source)).probabilities for source in worked.MIRRORED)
    assert one == pytest.approx(other, abs=1e-6)
    for source in worked.MIRRORED:
        a = np.array([worked.WORDS[word] for word in source]) + np.array(worked.PLACES)
        np.testing.assert_allclose(worked.ras_weights(source), softmax(a @ worked.FIRST), atol=1e-6)


def test_numbers_and_excerpts_of_the_page() -> None:
    assert list(wrong_numbers(read(PAGE))) == []
    assert with_excerpts(read(PAGE)) == read(PAGE), "run: python -m book.excerpts"


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
