"""The cells of chapter 10's lesson compute what the chapter's own functions do; what is recorded fits its figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from book.figures import ch10, ch10_record
from book.figures.recorded import recorded
from book.labs.views.ch10 import by_log_probs
from book.lessons.cells import namespace
from chapters.beyond import mixing, objectives, rewards as scores
from tests.explorer_runs import write_veldran
from tests.recorded_form import keys, tiny_record

LESSON = namespace("10")


def test_bleu_of_the_candidates_is_the_chapters() -> None:
    for name in ("reference", "no_particle", "other_name"):
        assert LESSON["sentence_bleu"](LESSON[name]) == pytest.approx(
            scores.sentence_bleu(LESSON[name], LESSON["reference"])
        )


@pytest.mark.parametrize("alpha", [1.0, 0.1, 0.01])
def test_gradients_of_risk_are_those_of_the_chapter(alpha: float) -> None:
    costs, every = LESSON["cost"][None], np.ones((1, 3), bool)
    _, by_chapter = by_log_probs(lambda logs: objectives.expected_cost(logs, costs, every, alpha), np.log(LESSON["P"]))
    np.testing.assert_allclose(LESSON["risk_gradient"](alpha), by_chapter / alpha, atol=1e-5)
    np.testing.assert_array_equal(LESSON["risk_gradient"](1), LESSON["gradient"])


def test_reinforce_is_that_of_the_chapter() -> None:
    advantages = objectives.against_others(LESSON["cost"][None])
    np.testing.assert_allclose(LESSON["cost"] - LESSON["others"], advantages[0])
    _, by_chapter = by_log_probs(lambda logs: objectives.policy_loss(logs, advantages), np.log(LESSON["P"]))
    np.testing.assert_allclose(advantages[0] / 3, by_chapter, atol=1e-6)


def test_schedules_are_those_of_the_chapter() -> None:
    for name in ("linear", "exponential", "sigmoid"):
        expected = [getattr(mixing, objectives.MIXINGS[name])(LESSON["w"], q) for q in LESSON["q"]]
        np.testing.assert_allclose(LESSON[name], expected)


@pytest.mark.slow
def test_what_is_recorded_is_what_the_figures_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With runs of a tiny model, by the commands that RESULTS.md names."""
    corpus = write_veldran(tmp_path / "hamlet_pairs")
    flags = ["--corpus", corpus, "--batch-size", 16, "--epochs", 1, "--share", 0.2]
    found = tiny_record(ch10_record, monkeypatch, tmp_path, *flags, SEEDS=(1,), SENTENCES=3)
    kept = recorded(ch10_record.CHAPTER)
    assert kept["command"] == ch10_record.COMMAND
    assert keys(found, 1).keys() == kept.keys() - {"command", "settings"}
    assert found["runs"].keys() == kept["runs"].keys() == set(ch10_record.OBJECTIVES) == set(ch10.NAMES)
    assert keys(found["exposure"]) == keys(kept["exposure"])
    for objective in ch10_record.OBJECTIVES:
        assert found["runs"][objective]["1"].keys() == kept["runs"][objective]["1"].keys()
        assert list(kept["runs"][objective]) == ["1", "2", "3"]
    before = [found["runs"][objective]["1"]["before"] for objective in ch10_record.OBJECTIVES]
    assert all(one == before[0] for one in before), "all begin with the same model"
