"""The gates of the GRU do what their equations say, each by itself."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from common.nn.cells import GRU
from common.nn.recurrent import HiddenState

INPUT, HIDDEN = 3, 2
X, BEFORE = np.array([0.4, -1.1, 0.7]), np.array([0.3, -0.6])


def after(**gates: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """One step from BEFORE with gates forced open (50) or shut (-50) through their biases; and the weights."""
    collection, rng = dy.ParameterCollection(), np.random.default_rng(3)
    layer = GRU(collection, INPUT, HIDDEN, 0.1)
    for parameter in collection.parameters_list():
        parameter.set_value(rng.normal(0, 1, parameter.shape()))
    b = layer.b.as_array().copy()
    for gate, value in gates.items():
        start = HIDDEN * "rz".index(gate)
        b[start : start + HIDDEN] = value
    layer.b.set_value(b)
    state = layer.step(dy.inputTensor(X), HiddenState(dy.inputTensor(BEFORE)))
    weights = {name: getattr(layer, name).as_array() for name in ("W_x", "W_hg", "W_hh", "b")}
    return state.hidden.npvalue(), weights


def candidate(weights: dict[str, np.ndarray], read: np.ndarray) -> np.ndarray:
    return np.tanh(weights["W_x"][2 * HIDDEN :] @ X + weights["W_hh"] @ read + weights["b"][2 * HIDDEN :])


@pytest.mark.equation("neubig2017", 57, 59)
def test_a_shut_update_gate_keeps_the_state() -> None:
    found, _ = after(z=-50)
    np.testing.assert_allclose(found, BEFORE, atol=1e-6)


@pytest.mark.equation("neubig2017", 56, 58, 59)
def test_an_open_update_gate_takes_the_candidate() -> None:
    found, weights = after(z=50, r=50)
    np.testing.assert_allclose(found, candidate(weights, BEFORE), atol=1e-6)
    found, weights = after(z=50, r=-50)
    np.testing.assert_allclose(found, candidate(weights, 0 * BEFORE), atol=1e-6)


@pytest.mark.equation("neubig2017", 57, 59)
def test_a_half_open_update_gate_interpolates() -> None:
    _, weights = after(z=50, r=-50)
    z = 1 / (1 + np.exp(-(weights["W_x"][HIDDEN : 2 * HIDDEN] @ X + weights["W_hg"][HIDDEN:] @ BEFORE + 0.3)))
    found, weights = after(z=0.3, r=-50)
    assert ((z > 0.05) & (z < 0.95)).any()
    np.testing.assert_allclose(found, (1 - z) * BEFORE + z * candidate(weights, 0 * BEFORE), atol=1e-6)
