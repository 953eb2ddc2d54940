"""What chapter 4's lesson draws and computes: recorded numbers, gradients by hand, estimates of the softmax's sum."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from book.figures import ch04, ch04_data, ch04_record
from book.figures.recorded import rounded
from book.figures.style import as_svg, styled
from book.lessons import ROOT
from book.worked import ch04 as worked, ch04_outputs as outputs
from common.nn.hierarchical_softmax import HuffmanTree
from data.oracle import next_word_probs
from tests.programs import run_python, write_small_village

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


def test_gradients_of_the_lesson_agree_with_finite_differences() -> None:
    """The embedding's gradient, which DyNet computes, against the loss in float64 written out."""

    def loss(millhand: np.ndarray) -> float:
        m = np.concatenate([millhand, worked.EMBEDDINGS["offers"]])
        h = np.tanh(worked.W_MH @ m + worked.B_H)
        s = np.array([np.dot(worked.W_HS[ware], h) + worked.B_S[ware] for ware in worked.WARES])
        return float(np.log(np.exp(s).sum()) - s[0])

    at, step = np.array(worked.EMBEDDINGS["millhand"]), 1e-6
    slopes = [(loss(at + step * item) - loss(at - step * item)) / (2 * step) for item in np.eye(2)]
    np.testing.assert_allclose(worked.gradients()["m"][:2], slopes, atol=1e-5)
    actual = worked.gradients()
    np.testing.assert_allclose(worked.W_MH.T @ actual["z"], actual["m"], atol=1e-5)
    assert loss(np.array(worked.moved())) < loss(at)


def test_no_sum_of_two_scores_tells_flour() -> None:
    """The network prefers flour after two histories and not after the other two, as exclusive or does."""
    flour = [worked.after(history)["p"][0] > 0.5 for history in
             ("miller offers", "miller buys", "baker offers", "baker buys")]  # fmt: skip
    assert flour == [True, False, False, True]


def test_the_sums_printed_in_the_results_tell_the_wares_of_two_trades() -> None:
    """The additive table of RESULTS.md has the largest sum for the ware that the network of the lesson prefers."""
    text = (ROOT / "chapters/04_feedforward_lm/RESULTS.md").read_text("utf-8")
    table = text.partition("## What a sum of two scores can tell")[2].partition("| | ")[2].splitlines()
    columns = [name.strip() for name in table[0].split("|")][:-1]
    votes = {}
    for row in table[2 : 2 + len(worked.WARES)]:
        ware, *cells = (cell.strip().replace("−", "-") for cell in row.strip("|").split("|"))
        votes[ware] = dict(zip(columns, map(float, cells), strict=True))
    for trade in ("miller", "baker"):
        for verb in ("offers", "buys"):
            sums = [votes[ware][trade] + votes[ware][verb] for ware in worked.WARES]
            assert sorted(sums)[-1] > sorted(sums)[-2]
            assert np.argmax(sums) == np.argmax(worked.after(f"{trade} {verb}")["p"])


def test_the_trees_joins_are_the_paths() -> None:
    """Every join lengthens the paths of all words below it by one."""
    lengths = outputs.tree().real.sum(axis=1)
    assert sum(both for _, _, both in outputs.joins()) == (outputs.counts() * lengths).sum()


def test_the_estimate_is_that_of_the_sampled_softmax() -> None:
    *_, Z, score, loss = outputs.estimate()
    assert np.log(Z) - score == pytest.approx(loss, abs=1e-6)


@pytest.mark.parametrize("tried", outputs.TRIED)
def test_the_pushes_of_noise_contrast_are_the_slope_of_its_objective(tried: float) -> None:
    """By the chapter's NCE, by the formula of the lesson, and by moving the score in J written out."""
    P, Q, K, word = outputs.following("the", "girl"), outputs.shares(), outputs.SAMPLES, outputs.COMES

    def objective(score: float) -> float:
        s = np.log(Q)
        s[word] = score
        share = np.exp(s) / (np.exp(s) + K * Q)
        return float((P * np.log(share) + K * Q * np.log(1 - share)).sum())

    at, step = np.log(tried), 1e-5
    slope = (objective(at + step) - objective(at - step)) / (2 * step)
    assert outputs.objective_slope(tried) == pytest.approx(slope, abs=1e-6)
    row = list(outputs.contrast())[7:][10 * outputs.TRIED.index(tried) :][:10]
    assert row[5] - row[8] == pytest.approx(slope, abs=1e-6) and np.sign(round(slope, 6)) == np.sign(0.5 - tried)


def test_a_words_class_is_the_part_that_holds_its_middle() -> None:
    """The example of RESULTS.md, word by word, and classes that the lesson prints."""
    ends, actual = 16 * np.arange(1, 4) / 3, []
    middles = np.cumsum(outputs.counts()) - outputs.counts() / 2
    for middle in middles:
        actual.append(int((middle > ends).sum()))
    assert middles.tolist() == [1.5, 4.5, 7.5, 10, 12, 13.5, 14.5, 15.5]
    assert [np.flatnonzero(np.array(actual) == item).tolist() for item in range(3)] == [
        item.tolist() for item in outputs.classes()
    ]


def test_words_with_labels_lie_apart_and_no_others() -> None:
    for name, parameters in ch04.APART.items():
        group, side = name.split()
        places = ch04_data.of_models()["maps"][name]["places"]
        spots = {word: spot for kind in places for word, spot in zip(ch04_data.mapped(group, kind), places[kind],
                                                                      strict=True)}  # fmt: skip
        middle = np.median(list(spots.values()), axis=0)
        far = sorted(spots, key=lambda word: -np.hypot(*(np.array(spots[word]) - middle)))
        assert set(far[:3]) == set(parameters)


@pytest.mark.slow
def test_estimates_of_the_figure_come_closer_and_are_too_small_on_average() -> None:
    came = np.exp(ch04_data.of_models()["log-probabilities"][ch04_data.comes()])
    few, many = ch04_data.estimates(16), ch04_data.estimates(4096)
    assert few[0].mean() < many[0].mean() < 0.1
    assert abs(many[1].mean() - (1 - came)) < 0.02 < abs(few[1].mean() - (1 - came))
    assert np.exp(many[0]).mean() == pytest.approx(1, abs=0.1)


def test_work_per_word_is_counted_by_the_layers_themselves() -> None:
    actual, V = ch04_data.scores_per_word(), ch04_data.SIZES[0]
    shares = ch04_data.zipf(V)
    tree = HuffmanTree(shares)
    entropy = -(shares * np.log2(shares)).sum()
    assert actual["full"] == list(ch04_data.SIZES) and set(actual["sampled"]) == {257}
    assert actual["hierarchical"][0] == pytest.approx((shares * tree.real.sum(axis=1)).sum())
    assert all(entropy <= number for number in actual["hierarchical"]) and actual["hierarchical"][0] < entropy + 1
    assert all(cheap < V for cheap, V in zip(actual["class"], ch04_data.SIZES, strict=True))
