"""The recurrent language model whose first state is learnt (--first-state learnt; Neubig 2017, section 6.2)."""

from __future__ import annotations

from typing import Any

import dynet as dy
import numpy as np

from common.nn.recurrent import State
from common.nn.stacking import Stack
from common.text.vocab import Vocabulary

from .model import RecurrentLM


class FirstStateStack(Stack):
    """The layers of a stack, each with a parameter for every part of its state before the first step, (H,).

    The parameters start at zero, so an untrained model computes what it would with the zero state.
    """

    def __init__(self, collection: dy.ParameterCollection, stack: Stack):
        self.layers, self.residual = stack.layers, stack.residual
        self.first = [
            [collection.add_parameters(layer.hidden_size, init=0) for _ in layer.state_type._fields]
            for layer in self.layers
        ]

    @property
    def first_states(self) -> list[State | None]:
        return [layer.state_type(*parts) for layer, parts in zip(self.layers, self.first, strict=True)]


class FirstStateLM(RecurrentLM):
    """h_1 = RNN(m_1, h_init) for every sentence: each layer's h_init is learnt, and with it an LSTM's first cell."""

    def __init__(self, vocab: Vocabulary, log_frequencies: np.ndarray | None = None, **flags: Any):
        """As `NeuralModel` says."""
        super().__init__(vocab, log_frequencies, **flags)
        self.name = f"learnt first state, {self.name}"
        self.stack = FirstStateStack(self.collection, self.stack)
