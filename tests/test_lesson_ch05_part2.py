"""Part 2 of chapter 5: its cells compute what the probes do, and its figures show what was recorded."""

from __future__ import annotations

import numpy as np
import pytest

from book.figures import ch05_part2, ch05_part2_record
from book.figures.recorded import recorded
from book.lessons.cells import namespace
from chapters.rnn_lm import probing
from tests.programs import write_small_village
from tests.recorded_form import keys, tiny_record
from tests.rnn_models import CHAPTER
from tests.rnn_reference import sigma
from tests.small_models import numeric_gradient

LESSON = namespace("05", 2)
STATES, LABELS = LESSON["states"], LESSON["singular"]


def test_the_first_probe_has_the_loss_and_the_gradient_of_the_course() -> None:
    x, parameters = np.column_stack([STATES, np.ones(4)]), np.append(LESSON["first"], 0.0)
    assert LESSON["losses"].sum() == pytest.approx(probing.loss_of(parameters, x, LABELS, 0.0))
    errors = LESSON["q"] - LABELS
    gradient, _ = probing.slopes(parameters, x, LABELS, 0.0)
    np.testing.assert_allclose([*(errors @ STATES), errors.sum()], gradient)


def test_the_fitted_probe_has_no_slope_left() -> None:
    """Its gradient with the penalty, found here by hand on the numbers made alike, is zero."""
    scores = STATES @ LESSON["normal"] + LESSON["bias"]
    alike, spread = (STATES - STATES.mean(axis=0)) / STATES.std(axis=0), STATES.std(axis=0)
    gradient = (sigma(scores) - LABELS) @ alike + 1.0 * LESSON["normal"] * spread
    np.testing.assert_allclose([*gradient, (sigma(scores) - LABELS).sum()], 0, atol=1e-6)
    assert ((scores > 0) == LABELS).all()


def test_only_exchanged_means_turn_both_answers() -> None:
    probe = probing.Probe(np.zeros(2), np.ones(2), LESSON["w"], 0.0)
    state, label, (singular, plural) = STATES[2:3], LABELS[2:3], LESSON["means"]
    exchanged = probing.exchanged(state, label, (plural, singular))
    np.testing.assert_allclose(LESSON["moved"], [state[0], probing.mirrored(probe, state)[0], exchanged[0]])
    assert (LESSON["moved"] @ LESSON["w"] > 0).tolist() == [True, False, False]
    assert (LESSON["moved"][:, 0] > 0).tolist() == [True, True, False]


def test_the_gradients_of_the_small_network_are_those_of_finite_differences() -> None:
    x = LESSON["x"].copy()

    def difference() -> float:
        h = 0.0
        for one in x:
            h = np.tanh(0.5 * h + one)
        return 2 * h

    np.testing.assert_allclose(LESSON["gradient"], numeric_gradient(difference, x), rtol=1e-6)


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """What is recorded, at tiny size."""
    runs = tmp_path_factory.mktemp("runs")
    flags = ["--epochs", 1, "--hidden-size", 4, "--batch-size", 256, "--corpus", write_small_village(runs / "village")]
    with pytest.MonkeyPatch.context() as monkeypatch:
        return tiny_record(ch05_part2_record, monkeypatch, runs, *flags, SEEDS=(1,), SAMPLE=250)


def test_the_recorded_numbers_have_the_form_of_what_the_program_finds(numbers: dict) -> None:
    kept = recorded(CHAPTER, ch05_part2.RECORD)
    assert keys({"command": "", "settings": kept["settings"], **numbers}) == keys(kept)
    assert len(kept["settings"]["runs"]) == 15
    assert ch05_part2_record.tables(kept)


def test_counts_and_shares_are_possible(numbers: dict) -> None:
    for question, cells in numbers["accuracy"].items():
        places = numbers["tested"][question]["places"]
        for row in (row for kinds in cells.values() for runs in kinds.values() for row in runs):
            right = [share * count for share, count in zip(row, places, strict=True) if count]
            np.testing.assert_allclose(right, np.round(right), atol=1e-6)


def test_pooled_accuracy_by_hand() -> None:
    found = {"tested": {"q": {"places": [9, 3, 1]}}, "accuracy": {"q": {"rnn": {"state": [[0.0, 1.0, 0.0]]}}}}
    assert ch05_part2_record.pooled(found, "q", "rnn", "state", 1).tolist() == [75.0]
