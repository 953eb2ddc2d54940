"""Chapter 2: margin losses against plain loops and finite differences, accuracy by counting, and compare_losses.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from common.chapters import chapter_module
from tests import loglinear_reference as reference
from tests.loglinear_reference import CHAPTER, SENTENCES, random_active, random_model
from tests.programs import Call, Refused
from tests.small_models import numeric_gradient

margin = chapter_module(CHAPTER, "margin")
TARGETS = np.array([2, 0, 9, 2, 5, 1, 7])


def loss_by_loop(W: np.ndarray, b: np.ndarray, x: np.ndarray, targets: np.ndarray, wanted: float) -> float:
    """Word by word, over dense vectors: how much the best rival is short of being `wanted` below the right word."""
    total = 0.0
    for row, target in zip(x, targets, strict=True):
        s = reference.scores(W, b, row)
        total += max(0.0, *(wanted + s[j] - s[target] for j in range(len(s)) if j != target))
    return total


@pytest.mark.parametrize("name", ["margin", "perceptron"])
def test_loss_and_gradients_are_those_of_the_equation(name: str) -> None:
    """In float64, with values that are not 1 and a feature twice; some positions have a loss, some have none."""
    samples = random_model("word1,class1")
    model = margin.LOSSES[name](samples.features)
    model.W, model.b = 0.4 * samples.W, samples.b
    target = {"margin": 1, "perceptron": 0}[name]
    active = random_active(model.features.size, 7)
    x = reference.dense(active, model.features.size)
    best = [int(np.argmax(reference.scores(model.W, model.b, row))) for row in x]
    targets = np.array([*best[:4], *TARGETS[4:]])
    loss, actual = model.loss_and_gradients(active, targets, divisor=5)
    W, b = model.W.copy(), model.b.copy()
    each = [loss_by_loop(W, b, x[[n]], targets[[n]], target) for n in range(7)]
    assert loss == pytest.approx(sum(each), rel=1e-12) and min(each) == 0 < max(each)
    dense_W = np.zeros_like(W)
    dense_W[actual.features] = actual.W
    expected = [numeric_gradient(lambda: loss_by_loop(W, b, x, targets, target), item) / 5 for item in (W, b)]
    np.testing.assert_allclose(dense_W, expected[0], atol=1e-8)
    np.testing.assert_allclose(actual.b, expected[1], atol=1e-8)
    assert np.abs(actual.b).max() > 0.1


def test_a_draw_is_no_win() -> None:
    losses, gradient = margin.hinge(np.array([[2.0, 2.0]]), np.array([1]), 0.0)
    assert losses.tolist() == [0] and gradient.tolist() == [[1, -1]]


def test_accuracy_is_counted_word_by_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many positions are scored at a time."""
    model = random_model()
    right = []
    for sentence in SENTENCES:
        state = model.start(1)
        for word, after in zip([0, *sentence], [*sentence, 0], strict=True):
            state, log_probs = model.advance(state, [word])
            right.append(int(log_probs[0].argmax()) == after)
    assert 0 < sum(right) < len(right)
    assert margin.accuracy(model, SENTENCES) == pytest.approx(np.mean(right))
    monkeypatch.setattr(margin.LogLinearLM.__module__ + ".NUMBERS_AT_ONCE", 20)
    assert margin.accuracy(model, SENTENCES) == pytest.approx(np.mean(right))


def test_margins_separate_what_features_can_separate(tmp_path: Path, call: Call, capsys) -> None:
    """Each word has one that always follows: all losses get everything right, and the program says so."""
    for split in ("train", "dev", "test"):
        (tmp_path / f"{split}.txt").write_text("a b c d\n" * 40, encoding="utf-8")
    call("compare_losses", "--corpus", tmp_path, "--epochs", 2, "--seeds", 2)
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert [row[0] for row in rows] == [name for name in margin.LOSSES for _ in range(3)]
    assert [row[2:4] for row in rows if "mean" not in row] == [["100.00", "100.00"]] * 6
    assert len({row[-1] for row in rows if row[1] == "1"}) > 1, "the softmax of the scores differs"
    assert all(row[4:6] == ["100.00", "±"] for row in rows if "mean" in row)


@pytest.mark.parametrize(
    "flags, complaint", [(["--seeds", 0], "--seeds"), (["--loss", "joy"], "--loss"), (["--features", "joy"], "joy")]
)
def test_problems_take_one_line(refused: Refused, corpus: Path, flags: list, complaint: str) -> None:
    assert complaint in refused("compare_losses", "--corpus", corpus, *flags)
