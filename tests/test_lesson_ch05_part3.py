"""Part 3 of chapter 5: its cell computes what the course's cache does, and a gradient ends between two batches."""

from __future__ import annotations

import numpy as np
import pytest

from book.lessons.cells import namespace
from chapters.rnn_lm.neural_cache import cache_probs

LESSON = namespace("05", 3)


def test_the_cache_by_hand_is_the_course_s() -> None:
    hidden = np.vstack([LESSON["states"], LESSON["now"]])
    for word, expected in enumerate(LESSON["cached"]):
        probs = cache_probs(hidden, np.array([0, 1, 2, 3, word]), np.zeros(5, int), LESSON["tau"])
        assert probs[-1] == pytest.approx(expected)


def test_answers_about_the_sharpness() -> None:
    for tau, share in ((0.0, 1 / 4), (200.0, 1.0)):
        hidden = np.vstack([LESSON["states"], LESSON["now"]])
        assert cache_probs(hidden, np.array([0, 1, 2, 3, 0]), np.zeros(5, int), tau)[-1] == pytest.approx(share)
