"""Every recurrent cell equals its equations, batched or step by step, from zero or from a given state."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from common.nn.recurrent import LSTM
from common.nn.stacking import CELLS, cell_class
from tests import rnn_reference as reference
from tests.small_models import numeric_gradient

INPUT, HIDDEN, TIME, BATCH = 3, 2, 5, 4
KINDS = tuple(CELLS)
collections = []  # parameters do not outlive their collection

each_kind = pytest.mark.parametrize("kind", KINDS)


def make_layer(kind: str, seed: int = 3):
    """A layer whose weights and biases are all different, and those weights."""
    collections[:] = [dy.ParameterCollection()]
    layer = cell_class(kind)(collections[0], INPUT, HIDDEN, 0.1)
    parameters = reference.layer_parameters(kind, layer)
    reference.randomise(parameters, seed=seed)
    return layer, reference.weights_of(parameters)


@pytest.fixture
def inputs() -> np.ndarray:
    return np.random.default_rng(4).normal(0, 1, (INPUT, TIME, BATCH))


def start_state(kind: str) -> list[np.ndarray]:
    """Some state of every sentence: each part (hidden, batch)."""
    rng = np.random.default_rng(6)
    return [rng.normal(0, 1, (HIDDEN, BATCH)) for _ in reference.zero_state(kind, HIDDEN)]


def attached(layer, parts: list[np.ndarray]):
    return layer.state_type(*(dy.inputTensor(part, batched=True) for part in parts))


def by_hand(kind: str, weights, inputs: np.ndarray, start=None, masks=None) -> np.ndarray:
    """All parts of the states, (parts, hidden, time, batch), one sentence after the other."""
    sentences = []
    for number in range(inputs.shape[2]):
        state = reference.zero_state(kind, HIDDEN) if start is None else tuple(part[:, number].copy() for part in start)
        mask, steps = None if masks is None else masks[:, number], []
        for x in inputs[:, :, number].T:
            state = reference.step(kind, weights, x, state, mask)
            steps.append(np.stack(state))
        sentences.append(np.stack(steps, axis=-1))
    return np.stack(sentences, axis=-1)


def all_parts(states) -> np.ndarray:
    return np.stack([np.stack([part.npvalue() for part in state]) for state in states], axis=2)


@pytest.mark.equation("neubig2017", 44, 47, 48, 49, 50, 51, 52, 54, 55, 56, 57, 58, 59)
@each_kind
def test_unrolling_computes_the_equations(kind: str, inputs: np.ndarray) -> None:
    layer, weights = make_layer(kind)
    actual = all_parts(layer.unroll(dy.inputTensor(inputs, batched=True)))
    np.testing.assert_allclose(actual, by_hand(kind, weights, inputs), rtol=0, atol=1e-6)
    states = layer.run(dy.inputTensor(inputs, batched=True))
    assert states.dim() == ((HIDDEN, TIME), BATCH)
    np.testing.assert_array_equal(states.npvalue(), actual[0])


@pytest.mark.equation("neubig2017", 44, 47, 48, 49, 50, 51, 52, 54, 55, 56, 57, 58, 59)
@each_kind
def test_steps_compute_the_equations(kind: str, inputs: np.ndarray) -> None:
    layer, weights = make_layer(kind)
    state, states = None, []
    for t in range(TIME):
        state = layer.step(dy.inputTensor(inputs[:, t], batched=True), state)
        states.append(state)
    np.testing.assert_allclose(all_parts(states), by_hand(kind, weights, inputs), rtol=0, atol=1e-6)


@each_kind
def test_a_sequence_can_start_from_any_state(kind: str, inputs: np.ndarray) -> None:
    layer, weights = make_layer(kind)
    start = start_state(kind)
    actual = all_parts(layer.unroll(dy.inputTensor(inputs, batched=True), attached(layer, start)))
    np.testing.assert_allclose(actual, by_hand(kind, weights, inputs, start), rtol=0, atol=1e-6)
    stepped = layer.step(dy.inputTensor(inputs[:, 0], batched=True), attached(layer, start))
    np.testing.assert_allclose(all_parts([stepped])[:, :, 0], actual[:, :, 0], rtol=0, atol=1e-6)


@each_kind
def test_a_mask_is_on_what_the_next_step_reads(kind: str, inputs: np.ndarray) -> None:
    """And not on what is carried on: the cell of an LSTM, the kept share of a GRU."""
    layer, weights = make_layer(kind)
    masks = np.random.default_rng(7).choice([0.0, 2.0], (HIDDEN, BATCH))
    actual = layer.unroll(dy.inputTensor(inputs, batched=True), mask=dy.inputTensor(masks, batched=True))
    expected = by_hand(kind, weights, inputs, masks=masks)
    np.testing.assert_allclose(all_parts(actual), expected, rtol=0, atol=1e-6)
    assert np.abs(expected - by_hand(kind, weights, inputs)).max() > 0.01


@each_kind
def test_gradients_are_those_of_finite_differences(kind: str, inputs: np.ndarray) -> None:
    """Of every parameter, through all steps: central differences of the float64 computation by hand."""
    layer, weights = make_layer(kind)
    coefficients = np.random.default_rng(8).normal(size=(HIDDEN, TIME, BATCH))
    for parameter in reference.layer_parameters(kind, layer).values():
        parameter.scale_gradient(0)
    states = layer.run(dy.inputTensor(inputs, batched=True))
    dy.sum_batches(dy.sum_elems(dy.cmult(states, dy.inputTensor(coefficients, batched=True)))).backward()

    def value() -> float:
        return float((by_hand(kind, weights, inputs)[0] * coefficients).sum())

    for name, parameter in reference.layer_parameters(kind, layer).items():
        expected = numeric_gradient(value, weights[name])
        np.testing.assert_allclose(parameter.grad_as_array(), expected, rtol=1e-3, atol=2e-5, err_msg=name)


def with_gates(kind: str, names: str, gates: dict[str, float]):
    """A layer whose gates are forced open (50) or shut (-50) through their biases, and its weights."""
    layer, weights = make_layer(kind)
    for gate, value in gates.items():
        weights["b"][HIDDEN * names.index(gate) :][:HIDDEN] = value
    layer.b.set_value(weights["b"])
    return layer, weights


BEFORE = np.array([0.3, -0.6])


@pytest.mark.equation("neubig2017", 50, 51, 54, 55)
@pytest.mark.parametrize(
    ("kind", "gates", "expected"),
    [
        ("lstm-no-forget", {"i": -50}, "before"),
        ("lstm-no-forget", {"i": 50}, "both"),
        ("lstm", {"f": 50, "i": -50}, "before"),
        ("lstm", {"f": -50, "i": -50}, "nothing"),
        ("lstm", {"f": -50, "i": 50}, "update"),
        ("lstm", {"f": 50, "i": 50}, "both"),
    ],
)
@pytest.mark.parametrize("output", [-50, 50])
def test_the_gates_of_an_lstm_at_their_extremes(
    kind: str, gates: dict, expected: str, output: float, inputs: np.ndarray
) -> None:
    """Wide open or shut they keep, erase or overwrite the cell, or add to it; `o` hides it. The first never forgets."""
    layer, weights = with_gates(kind, reference.BLOCKS[kind], gates | {"o": output})
    x = inputs[:, 0, 0]
    after = layer.step(dy.inputTensor(x), layer.state_type(dy.zeros(HIDDEN), dy.inputTensor(BEFORE)))
    rows = slice(HIDDEN * reference.BLOCKS[kind].index("u"), None)
    update = np.tanh(weights["W_x"][rows] @ x + weights["b"][rows])
    cell = {"before": BEFORE, "nothing": 0 * BEFORE, "update": update, "both": BEFORE + update}[expected]
    np.testing.assert_allclose(after.cell.npvalue(), cell, atol=1e-6)
    np.testing.assert_allclose(after.hidden.npvalue(), np.tanh(cell) if output > 0 else 0, atol=1e-6)


@pytest.mark.equation("neubig2017", 56, 57, 58, 59)
def test_the_gates_of_a_gru(inputs: np.ndarray) -> None:
    """Shut, `z` keeps the state, open it takes the candidate, between it interpolates; `r` hides the past."""
    x = inputs[:, 0, 0]
    for gates in ({"z": -50}, {"z": 50, "r": 50}, {"z": 50, "r": -50}, {"z": 0.3, "r": -50}):
        layer, weights = with_gates("gru", "rz", gates)
        after = layer.step(dy.inputTensor(x), layer.state_type(dy.inputTensor(BEFORE))).hidden.npvalue()
        rows = slice(HIDDEN, 2 * HIDDEN)
        z = reference.sigma(weights["W_x"][rows] @ x + weights["W_hg"][rows] @ BEFORE + weights["b"][rows])
        read = BEFORE * (gates.get("r", -50) > 0)
        candidate = np.tanh(weights["W_x"][2 * HIDDEN :] @ x + weights["W_hh"] @ read + weights["b"][2 * HIDDEN :])
        expected = {-50: BEFORE, 50: candidate}.get(gates["z"], (1 - z) * BEFORE + z * candidate)
        np.testing.assert_allclose(after, expected, atol=1e-6)
    assert ((z > 0.05) & (z < 0.95)).any()


@pytest.mark.equation("neubig2017", 52)
def test_the_logistic_function() -> None:
    points = np.array([-80.0, -2.0, -0.5, 0.0, 1.0, 3.0, 80.0])
    actual = dy.logistic(dy.inputTensor(points)).npvalue()
    np.testing.assert_allclose(actual, [reference.sigma(x) for x in points], atol=1e-6)


@pytest.mark.parametrize("builder", [dy.VanillaLSTMBuilder, dy.CompactVanillaLSTMBuilder])
def test_dynets_own_lstm_is_the_same_function(builder: type, inputs: np.ndarray) -> None:
    """With the same weights, but for the 1 that DyNet adds to the forget gate's bias itself."""
    layer, _ = make_layer("lstm")
    theirs = builder(1, INPUT, HIDDEN, collections[0])
    b = layer.b.as_array().copy()
    b[HIDDEN : 2 * HIDDEN] -= 1
    (W_x, W_h, bias) = theirs.get_parameters()[0]
    for parameter, array in ((W_x, layer.W_x.as_array()), (W_h, layer.W_h.as_array()), (bias, b)):
        parameter.set_value(array)
    steps = [dy.inputTensor(inputs[:, t], batched=True) for t in range(TIME)]
    actual = np.stack([state.npvalue() for state in theirs.initial_state().transduce(steps)], axis=1)
    ours = layer.run(dy.inputTensor(inputs, batched=True)).npvalue()
    np.testing.assert_allclose(actual, ours, rtol=0, atol=1e-6)


@pytest.mark.parametrize(("kind", "blocks"), [("rnn", 1), ("lstm-no-forget", 3), ("lstm", 4), ("gru", 3)])
def test_sizes_and_starting_values(kind: str, blocks: int) -> None:
    collection = dy.ParameterCollection()
    layer = cell_class(kind)(collection, INPUT, HIDDEN, 0.1)
    numbers = sum(np.prod(parameter.shape()) for parameter in collection.parameters_list())
    assert numbers == blocks * HIDDEN * (INPUT + HIDDEN + 1)
    for name, parameter in reference.layer_parameters(kind, layer).items():
        array = parameter.as_array()
        if name == "b":
            assert array.tolist() == [float(kind == "lstm" and row // HIDDEN == 1) for row in range(blocks * HIDDEN)]
        else:
            assert 0 < np.abs(array).max() <= 0.1


def test_the_parameters_of_an_lstm_are_in_the_order_of_saved_models() -> None:
    collection = dy.ParameterCollection()
    layer = LSTM(collection, 3, 2, 0.1)
    shapes = [parameter.shape() for parameter in collection.parameters_list()]
    assert shapes == [layer.W_x.shape(), layer.W_h.shape(), layer.b.shape()] == [(8, 3), (8, 2), (8,)]
