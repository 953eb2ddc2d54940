"""What lesson 11 says of trained models is in its records."""

from __future__ import annotations

import numpy as np

from book.figures.recorded import recorded
from book.lessons.cells import namespace


def test_what_the_lesson_says_of_trained_models() -> None:
    record, before, lesson = recorded("11_transformer"), recorded("06_attentive_lm"), namespace("11")
    mean = {name: np.mean(values) for name, values in record["test"].items()}
    assert mean["bag"] > mean["none"] > mean["sinusoidal"] > mean["rotary"] > np.mean(before["test"]["combined"])
    cost = record["cost"]["training"]
    assert cost["attentive LSTM"][-1] > 3 * cost["Transformer"][-1] > 3 * cost["LSTM"][-1]
    attentive, transformer, plain = (lesson[name][:, 0] for name in ("lstm", "longer", "plain"))
    assert (attentive < transformer).all() and (transformer < plain).all(), "with each seed"
