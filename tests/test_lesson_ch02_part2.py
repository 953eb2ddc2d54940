"""Part 2 of chapter 2: its worked examples are plain arithmetic, and its figures show what the course computes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from book.figures import ch02_part2
from book.lessons.cells import namespace
from chapters.loglinear_lm import margin, model

LESSON = namespace("02", 2)


def test_one_prediction_is_the_course_s() -> None:
    scores, target = LESSON["s"][None], np.array([1])
    np.testing.assert_allclose(LESSON["s"], namespace("02")["s"])
    np.testing.assert_allclose(np.log(LESSON["p"]), model.log_softmax(scores.copy())[0])
    losses, dl_ds = margin.hinge(scores, target, 1.0)
    assert losses[0] == LESSON["margin_loss"] and dl_ds[0].tolist() == LESSON["margin_gradient"].tolist()
    np.testing.assert_allclose(LESSON["log_gradient"], namespace("02")["gradient"])


@pytest.mark.parametrize("share", ch02_part2.SHARES)
def test_where_training_would_end(share: float) -> None:
    for lead in (-0.5, 0.0, 0.7, 3.0):
        for name, loss in (("margin", "margin"), ("likelihood", "log_loss")):
            expected = LESSON["mean_loss"](LESSON[loss], share, lead)
            assert ch02_part2.expected(share, lead, name) == pytest.approx(expected)
        perceptron = share * max(0, -lead) + (1 - share) * max(0, lead)
        assert ch02_part2.expected(share, lead, "perceptron") == pytest.approx(perceptron)
    found = [ch02_part2.best_lead(share, name) for name in ("likelihood", "margin", "perceptron")]
    assert found == [pytest.approx(math.log(share / (1 - share)), abs=1e-3), 1, 0]
