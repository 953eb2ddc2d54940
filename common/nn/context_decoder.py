"""A recurrent decoder whose first layer reads a word and the context vectors of attention."""

from __future__ import annotations

from collections.abc import Sequence

import dynet as dy

from common.nn.cells import CELLS
from common.nn.dropout import NO_DROPOUT, Dropout
from common.nn.recurrent import State


class ContextDecoder:
    """h_t = RNN([m_t; c; ...], h_{t-1}) with word m_t and one or more context vectors (Neubig 2017, Eq. 73).

    The first layer's matrix for [m_t; c; ...] is stored as its blocks: that of the words multiplies all words of a
    target at once, and only the contexts, which depend on the step before, are left to the loop.
    """

    def __init__(
        self,
        collection: dy.ParameterCollection,
        cell: str,
        size: int,
        layers: int,
        init_scale: float,
        context_sizes: Sequence[int],
    ):
        """Words and states are of `size`; a context vector of each of context_sizes is read."""
        self.layers = [CELLS[cell](collection, size, size, init_scale) for _ in range(layers)]
        (gates, _) = self.layers[0].W_x.shape()
        uniform = dy.UniformInitializer(init_scale)
        self.W_c = [collection.add_parameters((gates, read), init=uniform) for read in context_sizes]

    def project(self, words: dy.Expression) -> dy.Expression:
        """The words' share of what the first layer computes, for all steps: (H, T) x B -> (blocks*H, T) x B."""
        return self.layers[0].project(words)

    def step(
        self,
        projected: dy.Expression,
        contexts: Sequence[dy.Expression],
        states: Sequence[State],
        dropout: Dropout = NO_DROPOUT,
    ) -> list[State]:
        """Each layer's new state, from one column of `project`, the contexts and each layer's state before."""
        read = zip(self.W_c, contexts, strict=True)
        inner = dy.affine_transform([projected, *(part for pair in read for part in pair)])
        after = [self.layers[0].cell(inner, states[0])]
        for layer, state in zip(self.layers[1:], states[1:], strict=True):
            after.append(layer.step(dropout(after[-1].hidden), state))
        return after
