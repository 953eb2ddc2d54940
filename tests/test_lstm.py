"""The LSTM equals its equations, batched or step by step."""

from __future__ import annotations

from collections.abc import Iterator

import dynet as dy
import numpy as np
import pytest

from common.nn.recurrent import LSTM, LSTMState
from tests.attentive_reference import lstm_step

INPUT, HIDDEN, TIME, BATCH = 3, 2, 5, 4


@pytest.fixture
def lstm() -> Iterator[LSTM]:
    """A layer whose weights and biases are all different."""
    collection = dy.ParameterCollection()  # kept: parameters do not outlive their collection
    layer, rng = LSTM(collection, INPUT, HIDDEN, 0.1), np.random.default_rng(3)
    for parameter in (layer.W_x, layer.W_h, layer.b):
        parameter.set_value(rng.normal(0, 1, parameter.shape()))
    yield layer


@pytest.fixture
def inputs() -> np.ndarray:
    return np.random.default_rng(4).normal(0, 1, (INPUT, TIME, BATCH))


def by_hand(lstm: LSTM, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Hidden states and cells of the equations, each (hidden, time, batch), one sentence after the other."""
    W_x, W_h, b = (p.as_array().astype(np.float64) for p in (lstm.W_x, lstm.W_h, lstm.b))
    size, time, batch = (lstm.hidden_size, *inputs.shape[1:])
    hidden, cells = np.zeros((size, time, batch)), np.zeros((size, time, batch))
    for sentence in range(batch):
        h, c = np.zeros(size), np.zeros(size)
        for t in range(time):
            h, c = lstm_step(W_x, W_h, b, inputs[:, t, sentence], h, c)
            hidden[:, t, sentence], cells[:, t, sentence] = h, c
    return hidden, cells


@pytest.mark.equation("neubig2017", 54, 55)
def test_run_computes_the_equations(lstm: LSTM, inputs: np.ndarray) -> None:
    states = lstm.run(dy.inputTensor(inputs, batched=True))
    assert states.dim() == ((HIDDEN, TIME), BATCH)
    np.testing.assert_allclose(states.npvalue(), by_hand(lstm, inputs)[0], rtol=0, atol=1e-6)


@pytest.mark.equation("neubig2017", 54, 55)
def test_step_computes_the_equations(lstm: LSTM, inputs: np.ndarray) -> None:
    hidden, cells = by_hand(lstm, inputs)
    state = None
    for t in range(TIME):
        state = lstm.step(dy.inputTensor(inputs[:, t], batched=True), state)
        np.testing.assert_allclose(state.hidden.npvalue(), hidden[:, t], rtol=0, atol=1e-6)
        np.testing.assert_allclose(state.cell.npvalue(), cells[:, t], rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("gates", "expected"),
    [
        ({"f": 50, "i": -50}, "kept"),
        ({"f": -50, "i": -50}, "nothing"),
        ({"f": -50, "i": 50}, "update"),
        ({"f": 50, "i": 50}, "both"),
    ],
)
def test_the_gates_at_their_extremes(lstm: LSTM, inputs: np.ndarray, gates: dict, expected: str) -> None:
    """A gate that is wide open or shut (in its bias) keeps, erases or overwrites the cell; `o` hides it."""
    b = lstm.b.as_array().copy()
    for gate, value in {**gates, "o": -50}.items():
        start = HIDDEN * "ifo".index(gate)
        b[start : start + HIDDEN] = value
    lstm.b.set_value(b)
    x, before = inputs[:, 0, 0], np.array([0.3, -0.6])
    after = lstm.step(dy.inputTensor(x), LSTMState(dy.zeros(HIDDEN), dy.inputTensor(before)))
    update = np.tanh(lstm.W_x.as_array()[3 * HIDDEN :] @ x + b[3 * HIDDEN :])
    cell = {"kept": before, "nothing": 0 * before, "update": update, "both": before + update}[expected]
    np.testing.assert_allclose(after.cell.npvalue(), cell, atol=1e-6)
    np.testing.assert_allclose(after.hidden.npvalue(), 0, atol=1e-6)


def test_a_new_layer_remembers_at_first() -> None:
    collection = dy.ParameterCollection()
    layer = LSTM(collection, 3, 2, 0.1)
    assert layer.b.as_array().tolist() == [0, 0, 1, 1, 0, 0, 0, 0]
    for weights, shape in ((layer.W_x, (8, 3)), (layer.W_h, (8, 2))):
        assert weights.shape() == shape and 0.05 < np.abs(weights.as_array()).max() <= 0.1
