"""The decoder that reads contexts beside words equals its equation: one matrix for all that it reads."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from common.nn.dropout import Dropout
from common.nn.source_attention import ContextDecoder
from tests import attention_reference as reference, rnn_reference as rnn
from tests.small_models import check_gradients

H, T, B = 3, 4, 2
READ = [[5], [2, 4]]  # sizes of the contexts: none is that of a word
each_cell = pytest.mark.parametrize("cell", ["lstm", "gru", "rnn"])
each_size = pytest.mark.parametrize("sizes", READ, ids=["one context", "two contexts"])


class Case:
    """A decoder with random weights, and what it reads and starts from: words (H, T, B), contexts, states."""

    def __init__(self, cell: str, sizes: list[int], layers: int = 2):
        self.cell, self.collection, rng = cell, dy.ParameterCollection(), np.random.default_rng(4)
        self.decoder = ContextDecoder(self.collection, cell, H, layers, 0.1, sizes)
        self.parameters = {f"W_c{number}": parameter for number, parameter in enumerate(self.decoder.W_c)}
        for number, layer in enumerate(self.decoder.layers):
            own = rnn.layer_parameters(cell, layer)
            self.parameters |= {f"{name} {number}": parameter for name, parameter in own.items()}
        rnn.randomise(self.parameters, 0.7)
        self.weights = rnn.weights_of(self.parameters)
        self.words = rng.normal(size=(H, T, B))
        self.contexts = [rng.normal(size=(T, size, B)) for size in sizes]
        parts = len(rnn.zero_state(cell, H))
        self.start = [[rng.normal(size=(H, B)) for _ in range(parts)] for _ in range(layers)]

    def run(self, dropout: Dropout | None = None) -> list[list]:
        """Every layer's state after each step."""
        projected = self.decoder.project(dy.inputTensor(self.words, batched=True))
        states = [
            layer.state_type(*(dy.inputTensor(part, batched=True) for part in parts))
            for layer, parts in zip(self.decoder.layers, self.start, strict=True)
        ]
        steps = []
        for t in range(T):
            contexts = [dy.inputTensor(context[t], batched=True) for context in self.contexts]
            more = [] if dropout is None else [dropout]
            states = self.decoder.step(dy.pick(projected, t, dim=1), contexts, states, *more)
            steps.append(states)
        return steps

    def by_hand(self, sentence: int) -> list[list[rnn.State]]:
        layers = []
        for number in range(len(self.decoder.layers)):
            own = {name.split()[0]: array for name, array in self.weights.items() if name.endswith(f" {number}")}
            layers.append(own)
        layers[0] |= {name: array for name, array in self.weights.items() if name.startswith("W_c")}
        states = [tuple(part[:, sentence] for part in parts) for parts in self.start]
        steps = []
        for t in range(T):
            contexts = [context[t, :, sentence] for context in self.contexts]
            states = reference.decoder_step(self.cell, layers, self.words[:, t, sentence], contexts, states)
            steps.append(states)
        return steps


@pytest.mark.equation("neubig2017", 73)
@each_cell
@each_size
@pytest.mark.parametrize("layers", [1, 2])
def test_words_and_contexts_are_read_together(cell: str, sizes: list[int], layers: int) -> None:
    """As if one matrix had been multiplied with [m_t; c; ...]; all parts of all layers' states."""
    case = Case(cell, sizes, layers)
    actual = case.run()
    for sentence in range(B):
        for step, expected in zip(actual, case.by_hand(sentence), strict=True):
            for state, by_hand in zip(step, expected, strict=True):
                assert len(state) == len(by_hand)
                for part, numbers in zip(state, by_hand, strict=True):
                    np.testing.assert_allclose(part.npvalue()[:, sentence], numbers, atol=1e-5)


@each_cell
@each_size
def test_gradients_are_those_of_finite_differences(cell: str, sizes: list[int]) -> None:
    """Of the sum of the last hidden states."""
    case = Case(cell, sizes)
    loss = dy.sum_batches(dy.sum_elems(case.run()[-1][-1].hidden))
    loss.forward()
    loss.backward()
    actual = {name: parameter.grad_as_array() for name, parameter in case.parameters.items()}
    check_gradients(actual, case.weights, lambda: sum(case.by_hand(sentence)[-1][-1][0].sum() for sentence in range(B)))


def test_dropout_is_between_layers() -> None:
    """Never on what goes from one step to the next, nor on what a single layer shows."""
    for layers, different in ((1, 1), (2, 3)):
        case = Case("lstm", [5], layers)
        actual = {case.run(Dropout(0.5))[-1][-1].hidden.npvalue().tobytes() for _ in range(3)}
        assert len(actual) == different


def test_every_context_must_be_given() -> None:
    case = Case("gru", [2, 4])
    case.contexts.pop()
    with pytest.raises(ValueError):
        case.run()
