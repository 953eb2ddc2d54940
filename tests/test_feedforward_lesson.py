"""What chapter 4's lesson draws: the recorded numbers, and claims about the village and the table of results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from book.figures import ch04, ch04_data, ch04_record
from book.figures.recorded import rounded
from book.figures.style import as_svg, styled
from book.lessons import ROOT
from book.lessons.cells import namespace
from data.oracle import next_word_probs
from tests.programs import run_python, write_small_village

LESSON = namespace("04")
READ = [ch04.unseen_history, ch04.maps, ch04.neighbours, ch04.estimate_and_truth, ch04.dropout_on_a_layer,
        ch04.dropout_and_overfitting]  # fmt: skip


def shape_of(value: object) -> object:
    """The keys of dictionaries, all the way down, and the length of each list, epochs apart."""
    if isinstance(value, dict):
        return {key: shape_of(item) for key, item in value.items() if key not in ("settings", "command", "curves")}
    return len(value) if isinstance(value, list) else type(value).__name__


@pytest.mark.slow
def test_record_makes_what_the_figures_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tiny model has the same numbers to draw as the one recorded, and the figures can draw them."""
    corpus = write_small_village(tmp_path / "village")
    flags = ["--epochs", "1", "--hidden-size", "20", "--batch-size", "512", "--corpus", str(corpus)]
    for training in ch04_record.RECORDING.trainings(tmp_path):
        run_python(*training.command(), *flags).check_returncode()
    actual = rounded(ch04_record.measure(tmp_path)[1])
    assert shape_of(actual) == shape_of(ch04_data.of_models())
    assert {
        rate: {split: len(item) for split, item in actual["curves"][rate].items()} for rate in actual["curves"]
    } == {
        "0.0": {"train": 1, "dev": 1},
        "0.2": {"train": 1, "dev": 1},
    }
    monkeypatch.setattr(ch04_data, "of_models", lambda: actual)
    ch04_data.estimates.cache_clear()
    with styled():
        for draw in READ:
            assert b"<path" in as_svg(draw())
    ch04_data.estimates.cache_clear()


def test_recorded_probabilities_are_distributions_and_the_oracles_are_the_grammars() -> None:
    actual = ch04_data.of_models()["unseen history"]
    for name in ("n-gram", "network", "oracle"):
        assert sum(actual[name]["each"]) + actual[name]["other things"] + actual[name]["other words"] == pytest.approx(
            1, abs=1e-3
        )
    truth = next_word_probs(actual["history"].split())
    assert actual["oracle"]["each"] == pytest.approx([truth[word] for word in actual["words"]], abs=1e-4)
    assert np.exp(ch04_data.of_models()["log-probabilities"]).sum() == pytest.approx(1, abs=1e-3)


def test_the_history_of_the_lesson_is_new() -> None:
    """Train never holds its last three words in a row, and often its last two."""
    train = (ROOT / "data/village/train.txt").read_text("utf-8").splitlines()
    words = ch04_record.HISTORY.split()
    seen = [sum(f" {' '.join(words[-n:])} " in f" {line} " for line in train) for n in (2, 3, 4)]
    assert seen[0] > 10 and seen[1:] == [0, 0]


def test_the_sums_printed_in_the_results_tell_the_wares_of_two_trades() -> None:
    """The additive table of RESULTS.md has the largest sum for the ware that the network of the lesson prefers."""
    text = (ROOT / "chapters/04_feedforward_lm/RESULTS.md").read_text("utf-8")
    table = text.partition("## What a sum of two scores can tell")[2].partition("| | ")[2].splitlines()
    columns = [name.strip() for name in table[0].split("|")][:-1]
    votes = {}
    for row in table[2 : 2 + len(LESSON["wares"])]:
        ware, *cells = (cell.strip().replace("−", "-") for cell in row.strip("|").split("|"))
        votes[ware] = dict(zip(columns, map(float, cells), strict=True))
    for history, p in zip(LESSON["histories"], LESSON["p"], strict=True):
        trade, verb = history.split()
        sums = [votes[ware][trade] + votes[ware][verb] for ware in LESSON["wares"]]
        assert sorted(sums)[-1] > sorted(sums)[-2]
        assert np.argmax(sums) == np.argmax(p)
