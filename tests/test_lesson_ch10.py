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


def test_errors_are_the_sum_over_the_first_one() -> None:
    """The formula of the lesson."""
    found = sum(0.98 ** (j - 1) * 0.02 * (1 + (12 - j) / 2) for j in range(1, 13))
    assert worked.wrong_words(worked.LOST) == pytest.approx(found)


@pytest.mark.parametrize("share", [0.25, 0.9])
@pytest.mark.parametrize("q", [0.0, 0.3, 1.0])
def test_schedules_follow_the_formulas_of_the_lesson(share: float, q: float) -> None:
    sigmoid = 8 / (8 + np.exp(q * np.log(8 * share / (1 - share))))
    found = [
        getattr(worked.mixing, worked.objectives.MIXINGS[name])(share, q)
        for name in ("linear", "exponential", "sigmoid", "constant")
    ]
    np.testing.assert_allclose(found, [1 - share * q, (1 - share) ** q, sigmoid, 1 - share])


@pytest.mark.parametrize("epsilon", [0.0, 0.75, 1.0])
def test_targets_after_mixed_inputs_are_counted(epsilon: float) -> None:
    """Pairs of input and target, drawn: the targets of those that have a for their input."""
    rng, number = np.random.default_rng(1), 100_000
    reference, own = rng.integers(2, size=(2, number))
    read = np.where(rng.random(number) < epsilon, reference, own)
    after_a = (1 - reference)[read == 0]
    assert worked.second_targets(epsilon)["b"] == pytest.approx(after_a.mean(), abs=0.01)
    assert sum(worked.second_targets(epsilon).values()) == pytest.approx(1)


def test_how_many_n_grams_a_wrong_word_breaks() -> None:
    """The caption below the figure of sentence BLEU."""
    starts = [(n, place) for n in range(1, 5) for place in range(6 - n + 1)]
    broken = [sum(place <= wrong < place + n for n, place in starts) for wrong in range(6)]
    assert len(starts) == 18 and max(broken) == 9 and broken[0] == broken[5] == 4
    assert len(worked.REFERENCE) == 6


def test_the_gradient_of_a_word_that_is_not_learnt() -> None:
    share, risk, alpha, by_risk, by_likelihood = worked.unlearnt()
    assert risk == pytest.approx(0.4)
    assert by_risk == pytest.approx(-alpha * share * risk, rel=1e-3) and by_likelihood == pytest.approx(-1)


def test_an_interval_of_differences_seed_by_seed() -> None:
    """From the printed gains; Student's factor for two degrees of freedom has a closed form."""
    *printed, deviation, error, freedom, factor, low, high = worked.more_than_likelihood()
    reinforce, likelihood = (np.round(worked.gains(name), 2) for name in ("reinforce", "likelihood"))
    np.testing.assert_allclose(printed[-4:], [*(reinforce - likelihood), np.mean(reinforce - likelihood)])
    np.testing.assert_allclose([deviation, error], np.std(printed[-4:-1], ddof=1) / np.sqrt([1, 3]))
    assert freedom == 2 and factor == pytest.approx(np.sqrt(2 * 0.95**2 / (1 - 0.95**2)), abs=1e-3)
    np.testing.assert_allclose([low, high], [printed[-1] - factor * error, printed[-1] + factor * error])


def test_how_uncertain_the_errors_by_position_are() -> None:
    """Shares and nats of positions 2 to 5, written out for own drawn words."""
    found, printed = recorded(worked.CHAPTER)["exposure"]["sampled"], list(worked.uncertain())
    rows = list(zip(*(found[name][1:5] for name in ("possible", "wrong", "excess")), strict=True))
    variance = sum(wrong / n * (1 - wrong / n) / n for n, wrong, _ in rows)
    assert printed[1] == pytest.approx(100 * variance**0.5 / 4)
    assert printed[4] == pytest.approx(sum(excess / n for n, _, excess in rows) / 4)


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
    assert found["runs"].keys() == kept["runs"].keys() == set(worked.OBJECTIVES) == set(ch10.NAMES)
    assert found["exposure"].keys() == kept["exposure"].keys()
    for objective in worked.OBJECTIVES:
        assert found["runs"][objective]["1"].keys() == kept["runs"][objective]["1"].keys()
        assert list(kept["runs"][objective]) == list(worked.SEEDS)
    assert found["exposure"]["greedy"].keys() == kept["exposure"]["greedy"].keys()
    before = [found["runs"][objective]["1"]["before"] for objective in worked.OBJECTIVES]
    assert all(one == before[0] for one in before), "all begin with the same model"
