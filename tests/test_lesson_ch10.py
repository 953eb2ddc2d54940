"""What chapter 10's lesson computes and records, beside plain arithmetic in NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from book.figures import ch10, ch10_record
from book.figures.recorded import record, recorded
from book.worked import ch10 as worked
from tests.explorer_runs import write_veldran
from tests.programs import make_call

P, COSTS = np.array([0.1, 0.2, 0.4]), worked.costs()


@pytest.mark.parametrize("alpha", [1.0, 0.5, 0.01])
def test_the_gradient_of_risk_is_the_formula_of_the_lesson(alpha: float) -> None:
    shares = P**alpha / (P**alpha).sum()
    risk, slope = worked.risk_at(alpha)
    assert risk == pytest.approx(shares @ COSTS, rel=1e-6)
    np.testing.assert_allclose(slope, alpha * shares * (COSTS - shares @ COSTS), atol=1e-6)
    np.testing.assert_allclose(worked.shares(alpha), shares)


def test_what_the_lesson_says_of_bleu() -> None:
    """The precisions of its table, multiplied by hand."""
    without, other = 1 * 4 / 5 * 3 / 4 * 2 / 3, 5 / 6 * 5 / 6 * 4 / 5 * 3 / 4
    np.testing.assert_allclose(1 - COSTS, [1, np.exp(-0.2) * without**0.25, other**0.25])


def test_errors_are_those_of_a_chain_of_words() -> None:
    """Sentences drawn word by word have about as many wrong words."""
    rng, lost, wrong = np.random.default_rng(1), np.zeros(100_000, bool), 0
    for _ in range(worked.LENGTH):
        now = rng.random(len(lost)) < np.where(lost, worked.LOST, 1 - worked.RIGHT)
        wrong, lost = wrong + now, lost | now
    assert worked.wrong_words(worked.LOST) == pytest.approx(np.mean(wrong), abs=0.03)
    assert worked.wrong_words(1 - worked.RIGHT) == pytest.approx(0.24)


def test_reinforce_of_three_candidates() -> None:
    means = np.array([COSTS[[1, 2]].mean(), COSTS[[0, 2]].mean(), COSTS[[0, 1]].mean()])
    expected = np.stack([COSTS, means, COSTS - means, (COSTS - means) / 3], axis=1)
    np.testing.assert_allclose(list(worked.reinforce()), expected.ravel(), atol=1e-6)
    np.testing.assert_allclose(list(worked.limit())[-3:], (COSTS - COSTS.mean()) / 3, atol=1e-6)


def test_the_largest_sum_of_the_table_is_the_second_word() -> None:
    rows = np.reshape(list(worked.gumbel()), (3, 5))
    np.testing.assert_allclose(np.exp(-np.exp(-rows[:, 3])), rows[:, 2], err_msg="the noise's distribution function")
    assert rows[:, 4].argmax() == 1


def test_estimates_are_right_on_average() -> None:
    """With a baseline and without, as the figure of their spread draws them."""
    shares = worked.shares(1.0)
    exact = shares[0] * (COSTS[0] - shares @ COSTS)
    for baseline in worked.objectives.BASELINES.values():
        found = ch10.estimates(baseline, 4)
        assert np.mean(found) == pytest.approx(exact, abs=4 * np.std(found) / np.sqrt(len(found)))


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
    assert found["runs"].keys() == kept["runs"].keys() == set(worked.OBJECTIVES) == set(ch10.NAMES)
    assert found["exposure"].keys() == kept["exposure"].keys()
    for objective in worked.OBJECTIVES:
        assert found["runs"][objective]["1"].keys() == kept["runs"][objective]["1"].keys()
        assert list(kept["runs"][objective]) == list(worked.SEEDS)
    assert found["exposure"]["greedy"].keys() == kept["exposure"]["greedy"].keys()
    before = [found["runs"][objective]["1"]["before"] for objective in worked.OBJECTIVES]
    assert all(one == before[0] for one in before), "all begin with the same model"
