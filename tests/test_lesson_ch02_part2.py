"""Part 2 of chapter 2: its mean losses are those of the figure, which says where training would end."""

from __future__ import annotations

import math

import pytest

from book.figures import ch02_part2
from book.lessons.cells import namespace

LESSON = namespace("02", 2)


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
