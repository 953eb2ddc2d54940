"""The cells of chapter 10's lesson compute what the chapter's own functions do; what is recorded fits its figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from book.figures import ch10, ch10_record
from book.figures.recorded import record, recorded
from book.labs.views.ch10 import by_log_probs
from book.lessons.cells import namespace
from chapters.beyond import mixing, objectives, rewards as scores
from tests.explorer_runs import write_veldran
from tests.programs import make_call
from tools.significance import critical_value

LESSON = namespace("10")


def test_errors_are_those_of_a_chain_of_words() -> None:
    """Sentences drawn word by word have about as many wrong words."""
    rng, lost, wrong = np.random.default_rng(1), np.zeros(100_000, bool), 0
    for _ in range(12):
        now = rng.random(len(lost)) < np.where(lost, 0.5, 0.02)
        wrong, lost = wrong + now, lost | now
    assert LESSON["wrong"] == pytest.approx(np.mean(wrong), abs=0.03)


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


def test_the_gradient_of_a_word_that_is_not_learnt() -> None:
    """A reference with the share 0.0001 among two candidates, where the risk is 0.4."""
    logs, costs = np.log([1e-4, 1 - 1e-4]), np.array([[0, 0.4 / (1 - 1e-4)]])
    _, by_risk = by_log_probs(lambda logs: objectives.expected_cost(logs, costs, np.ones((1, 2), bool), 1), logs)
    assert by_risk[0] == pytest.approx(-1e-4 * 0.4, rel=1e-3)
    assert by_log_probs(objectives.reference_loss, logs)[1][0] == pytest.approx(-1)


def test_schedules_are_those_of_the_chapter() -> None:
    for name in ("linear", "exponential", "sigmoid"):
        expected = [getattr(mixing, objectives.MIXINGS[name])(LESSON["w"], q) for q in LESSON["q"]]
        np.testing.assert_allclose(LESSON[name], expected)


@pytest.mark.parametrize("epsilon", [0.0, 0.75, 1.0])
def test_targets_after_mixed_inputs_are_counted(epsilon: float) -> None:
    """Pairs of input and target, drawn: the targets of those that have a for their input."""
    rng, number = np.random.default_rng(1), 100_000
    reference, own = rng.integers(2, size=(2, number))
    read = np.where(rng.random(number) < epsilon, reference, own)
    b, a = LESSON["after_a"](epsilon)
    assert b == pytest.approx((1 - reference)[read == 0].mean(), abs=0.01) and a + b == pytest.approx(1)


def test_the_largest_sum_of_the_table_is_the_second_word() -> None:
    np.testing.assert_allclose(np.exp(-np.exp(-LESSON["g"])), LESSON["u"], err_msg="the noise's distribution function")
    assert (np.log(LESSON["p"]) + LESSON["g"]).argmax() == 1


def test_the_interval_is_students() -> None:
    """The page writes the factor for two degrees of freedom, which has a closed form."""
    assert critical_value(2) == pytest.approx(np.sqrt(2 * 0.95**2 / (1 - 0.95**2)), abs=1e-3)
    assert round(critical_value(2), 2) == 4.30


def test_how_many_n_grams_a_wrong_word_breaks() -> None:
    """The caption below the figure of sentence BLEU."""
    starts = [(n, place) for n in range(1, 5) for place in range(6 - n + 1)]
    broken = [sum(place <= wrong < place + n for n, place in starts) for wrong in range(6)]
    assert len(starts) == 18 and max(broken) == 9 and broken[0] == broken[5] == 4
    assert len(LESSON["reference"]) == 6


def test_estimates_are_right_on_average() -> None:
    """With a baseline and without, as the figure of their spread draws them."""
    for baseline in objectives.BASELINES.values():
        estimates = ch10.estimates(baseline, 4)
        error = np.std(estimates) / np.sqrt(len(estimates))
        assert np.mean(estimates) == pytest.approx(LESSON["gradient"][0], abs=4 * error)


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
    assert found.keys() == kept.keys() - {"command", "settings"}
    assert found["runs"].keys() == kept["runs"].keys() == set(ch10_record.OBJECTIVES) == set(ch10.NAMES)
    assert found["exposure"].keys() == kept["exposure"].keys()
    for objective in ch10_record.OBJECTIVES:
        assert found["runs"][objective]["1"].keys() == kept["runs"][objective]["1"].keys()
        assert list(kept["runs"][objective]) == ["1", "2", "3"]
    assert found["exposure"]["greedy"].keys() == kept["exposure"]["greedy"].keys()
    before = [found["runs"][objective]["1"]["before"] for objective in ch10_record.OBJECTIVES]
    assert all(one == before[0] for one in before), "all begin with the same model"
