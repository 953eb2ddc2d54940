"""Every recurrent cell equals its equations, batched or step by step, from zero or from a given state."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from common.nn.recurrent import LSTM
from common.nn.stacking import CELLS, cell_class
from tests import rnn_reference as reference

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


@pytest.mark.equation("neubig2017", 44, 47, 48, 49, 50, 51, 52, 54, 55, 56, 57, 58, 59, 69)
@each_kind
def test_unrolling_computes_the_equations(kind: str, inputs: np.ndarray) -> None:
    layer, weights = make_layer(kind)
    actual = all_parts(layer.unroll(dy.inputTensor(inputs, batched=True)))
    np.testing.assert_allclose(actual, by_hand(kind, weights, inputs), rtol=0, atol=1e-6)
    states = layer.run(dy.inputTensor(inputs, batched=True))
    assert states.dim() == ((HIDDEN, TIME), BATCH)
    np.testing.assert_array_equal(states.npvalue(), actual[0])


@each_kind
def test_a_mask_is_on_what_the_next_step_reads(kind: str, inputs: np.ndarray) -> None:
    """And not on what is carried on: the cell of an LSTM, the kept share of a GRU."""
    layer, weights = make_layer(kind)
    masks = np.random.default_rng(7).choice([0.0, 2.0], (HIDDEN, BATCH))
    actual = layer.unroll(dy.inputTensor(inputs, batched=True), mask=dy.inputTensor(masks, batched=True))
    expected = by_hand(kind, weights, inputs, masks=masks)
    np.testing.assert_allclose(all_parts(actual), expected, rtol=0, atol=1e-6)
    assert np.abs(expected - by_hand(kind, weights, inputs)).max() > 0.01


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
