"""Part 2 of chapter 2: its worked examples are plain arithmetic, and its figures show what the course computes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from book.figures import ch02_part2
from book.figures.style import styled
from book.worked import ch02_part2 as worked
from common.plots.plotting import plt

GIRL = [0.2 + 1.5 + 0.3, 0.1 + 1.2 + 0.2, -0.3 - 0.8 + 0.1, 1.0 - 1.9 - 0.6]
"""Base scores and votes of *girl* and *the*, as the lesson has them."""


def test_one_prediction_is_plain_arithmetic() -> None:
    p = np.exp(GIRL) / np.exp(GIRL).sum()
    loss, gradient = worked.gradient(None)
    assert loss == pytest.approx(-math.log(p[1]))
    np.testing.assert_allclose(gradient, [p[0], p[1] - 1, p[2], p[3]])
    loss, gradient = worked.gradient(1.0)
    assert loss == pytest.approx(1 + 2.0 - 1.5) and gradient.tolist() == [1, -1, 0, 0]
    np.testing.assert_allclose(worked.after_a_step(), [0.5, 3.0, -1.0, -1.5])


@pytest.mark.parametrize("share", worked.SHARES)
def test_where_training_would_end(share: float) -> None:
    for lead in (-0.5, 0.0, 0.7, 3.0):
        margin = share * max(0, 1 - lead) + (1 - share) * max(0, 1 + lead)
        assert worked.expected(share, lead, "margin") == pytest.approx(margin)
        perceptron = share * max(0, -lead) + (1 - share) * max(0, lead)
        assert worked.expected(share, lead, "perceptron") == pytest.approx(perceptron)
        p = 1 / (1 + math.exp(-lead))
        log_loss = -share * math.log(p) - (1 - share) * math.log(1 - p)
        assert worked.expected(share, lead, "likelihood") == pytest.approx(log_loss)
    found = [worked.best_lead(share, name) for name in ("likelihood", "margin", "perceptron")]
    assert found == [pytest.approx(math.log(share / (1 - share)), abs=1e-3), 1, 0]


def test_two_sentences() -> None:
    """*giggles* votes 2.1 for the full stop, and no feature of the examples speaks after *feeds*."""
    assert worked.steps_of("the girl feeds .") == pytest.approx([1.5, 1.0])
    assert worked.steps_of("the girl giggles .") == pytest.approx([2.0, 1.0 + 2.1])


@pytest.mark.slow
def test_figures_show_what_was_computed() -> None:
    with styled():
        left, right = ch02_part2.two_gradients().axes
        for axes, wanted in ((left, None), (right, 1.0)):
            np.testing.assert_allclose([one.get_height() for one in axes.patches], worked.gradient(wanted)[1])
        for axes, share in zip(ch02_part2.what_losses_learn().axes, worked.SHARES, strict=True):
            dots = [float(line.get_xdata()[0]) for line in axes.lines if len(line.get_xdata()) == 1]
            assert dots == [worked.best_lead(share, name) for name in ("likelihood", "margin", "perceptron")]
        lengths = [one.get_width() for one in ch02_part2.two_sentences().axes[0].patches]
        np.testing.assert_allclose(lengths, [1.5, 1.0, 2.0, 3.1])
        curves = {one.get_label(): one for one in ch02_part2.losses_by_lead().axes[0].lines}
        for lead, loss in zip(*curves["margin"].get_data(), strict=True):
            assert loss == pytest.approx(max(0, 1 - lead))
        plt.close("all")
