"""The bidirectional encoder, and the layer from an encoder to the first states of the decoder."""

from __future__ import annotations

from collections.abc import Sequence

import dynet as dy

from common.nn.dropout import Dropout
from common.nn.encoders import LinearEncoder, Source
from common.nn.recurrent import HiddenState, State
from common.nn.stacking import cell_class


class BidirectionalEncoder:
    """Two recurrent networks, one in each direction (Neubig 2017, Eq. 65, 66), joined by a layer of their own (Eq. 67).

    Each direction has its own layers; layer n of the decoder starts from layer n of both. Embeddings and the decoder's
    states are of `size`, and so is a state of either direction unless `each` says how large that is.
    """

    def __init__(
        self,
        collection: dy.ParameterCollection,
        cell: str,
        size: int,
        layers: int,
        init_scale: float,
        each: int | None = None,
        residual: bool = False,
    ):
        each = each or size
        self.forward = LinearEncoder(collection, cell, each, layers, init_scale, False, size, residual)
        self.backward = LinearEncoder(collection, cell, each, layers, init_scale, True, size, residual)
        self.bridge = Bridge(collection, cell, 2 * each, size, layers, init_scale)

    def start(self, source: Source, dropout: Dropout) -> list[State]:
        return self.read(source, dropout)[1]

    def read(self, source: Source, dropout: Dropout) -> tuple[dy.Expression, list[State]]:
        """Both directions' states of every word, one above the other, (2*each, T) x B; the decoder's first states."""
        forward, last = self.forward.read(source, dropout)
        backward, first = self.backward.read(source, dropout)
        ends = [dy.concatenate([after.hidden, before.hidden]) for after, before in zip(last, first, strict=True)]
        return dy.concatenate([forward, backward]), self.bridge(ends)


class Bridge:
    """From an encoder to the decoder's first states: h = tanh(W s + b) in each layer (Neubig 2017, Eq. 67).

    Where the cell is an LSTM, the memory starts as the argument of that tanh, so that the hidden state is what a fully
    open output gate would show of it.
    """

    def __init__(
        self, collection: dy.ParameterCollection, cell: str, read: int, size: int, layers: int, init_scale: float
    ):
        """read: how many numbers the encoder has for each layer."""
        uniform = dy.UniformInitializer(init_scale)
        self.W = [collection.add_parameters((size, read), init=uniform) for _ in range(layers)]
        self.b = [collection.add_parameters(size, init=0) for _ in range(layers)]
        self.state_type = cell_class(cell).state_type

    def __call__(self, encoded: Sequence[dy.Expression]) -> list[State]:
        """encoded: one per layer, (read,) x B."""
        inner = [dy.affine_transform([b, W, s]) for W, b, s in zip(self.W, self.b, encoded, strict=True)]
        if self.state_type is HiddenState:
            return [HiddenState(dy.tanh(value)) for value in inner]
        return [self.state_type(dy.tanh(value), value) for value in inner]
