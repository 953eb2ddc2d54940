"""Encoders: from the words of a source sentence to the state that its translation starts from.

Every encoder has `start(source, dropout)`, which gives the decoder's state before its first word, one per layer. The
recurrent ones also have `read`, which shows a state for every word. Sentences of a batch are padded behind, and nothing
that is computed for a sentence depends on its padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import dynet as dy
import numpy as np

from common.nn.cells import CELLS
from common.nn.dropout import Dropout
from common.nn.recurrent import HiddenState, State
from common.nn.softmax import embed, fold_time, unfold_time
from common.nn.stacking import Stack
from common.text.batching import pad
from common.text.corpus import Tree, tree_with
from common.text.pair_batching import PairBatch


def real(lengths: np.ndarray, time: int) -> np.ndarray:
    """1 on what is real and 0 on padding, (B, time)."""
    return (np.arange(time) < lengths[:, None]).astype(np.float32)


def without_padding(words: dy.Expression, lengths: np.ndarray) -> dy.Expression:
    """Words (H, T) x B of sentences with these lengths (B,), with zero vectors for padding."""
    (_, time), batch = words.dim()
    if lengths.min() == time:
        return words
    return dy.cmult(words, dy.reshape(dy.inputTensor(real(lengths, time).ravel()), (1, time), batch))


class Source(NamedTuple):
    """A batch of source sentences: word ids (T, B), padded behind, their lengths (B,), their embeddings (H, T) x B.

    trees: over the sentences, for an encoder that follows them.
    """

    ids: np.ndarray
    lengths: np.ndarray
    words: dy.Expression
    trees: Sequence[Tree | None] = ()

    @classmethod
    def of(cls, embedding: dy.Parameters, sentences: Sequence[Sequence[int]]) -> Source:
        """The sentences, of word ids, with their words looked up in an embedding (V, H)."""
        return cls.padded(embedding, *pad(sentences))._replace(trees=[tree_with(sentence) for sentence in sentences])

    @classmethod
    def of_batch(cls, embedding: dy.Parameters, batch: PairBatch) -> Source:
        """Those of a batch of pairs."""
        return cls.padded(embedding, batch.source, batch.source_mask)._replace(trees=batch.trees)

    @classmethod
    def padded(cls, embedding: dy.Parameters, ids: np.ndarray, mask: np.ndarray) -> Source:
        """The same from word ids and mask, (T, B), as in a `batching.PairBatch`."""
        words = unfold_time(embed(embedding, ids.T.ravel().tolist()), len(ids))
        return cls(ids, mask.sum(axis=0).astype(int), words)


class Encoder(Protocol):
    """The interface of every encoder: what a decoder calls."""

    def start(self, source: Source, dropout: Dropout) -> list[State]:
        """The state that the decoder starts from, one per layer."""
        ...


def reverse(sequences: dy.Expression, lengths: np.ndarray) -> dy.Expression:
    """Each sentence back to front, its padding still behind: (H, T) x B -> (H, T) x B. Done twice, nothing is done."""
    (_, time), batch = sequences.dim()
    position = np.arange(time)
    mirrored = np.where(position < lengths[:, None], lengths[:, None] - 1 - position, position)
    columns = mirrored + time * np.arange(batch)[:, None]
    return unfold_time(dy.pick_batch_elems(fold_time(sequences), columns.ravel().tolist()), time)


class LinearEncoder:
    """A recurrent network over the source; its last states are the first of the decoder (Neubig 2017, Eq. 60).

    Layer by layer the decoder, which must have as many, starts from the whole state: the hidden state, and with an LSTM
    the memory cell too. backward: the last word is read first (Eq. 64). input_size: that of the embeddings, where it
    is not `size`.
    """

    def __init__(
        self,
        collection: dy.ParameterCollection,
        cell: str,
        size: int,
        layers: int,
        init_scale: float,
        backward: bool = False,
        input_size: int | None = None,
    ):
        self.stack = Stack(collection, cell, size, layers, init_scale, input_size=input_size)
        self.backward = backward

    def start(self, source: Source, dropout: Dropout) -> list[State]:
        return self._run(source, dropout)[1]

    def read(self, source: Source, dropout: Dropout) -> tuple[dy.Expression, list[State]]:
        """A state for every word, (H, T) x B in the order of the words, and each layer's after the last one read."""
        states, last = self._run(source, dropout)
        return (reverse(states, source.lengths) if self.backward else states), last

    def _run(self, source: Source, dropout: Dropout) -> tuple[dy.Expression, list[State]]:
        """The same with the states in the order in which the words are read."""
        words = reverse(source.words, source.lengths) if self.backward else source.words
        return self.stack.run(words, None, dropout, source.lengths)


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
    ):
        each = each or size
        self.forward = LinearEncoder(collection, cell, each, layers, init_scale, input_size=size)
        self.backward = LinearEncoder(collection, cell, each, layers, init_scale, backward=True, input_size=size)
        self.bridge = Bridge(collection, cell, 2 * each, size, layers, init_scale)

    def start(self, source: Source, dropout: Dropout) -> list[State]:
        return self._join(self.forward.start(source, dropout), self.backward.start(source, dropout))

    def read(self, source: Source, dropout: Dropout) -> tuple[dy.Expression, list[State]]:
        """Both directions' states of every word, one above the other, (2*each, T) x B; the decoder's first states."""
        forward, last = self.forward.read(source, dropout)
        backward, first = self.backward.read(source, dropout)
        return dy.concatenate([forward, backward]), self._join(last, first)

    def _join(self, last: Sequence[State], first: Sequence[State]) -> list[State]:
        """From the forward states after the last words and the backward ones after the first."""
        return self.bridge([dy.concatenate([one.hidden, other.hidden]) for one, other in zip(last, first, strict=True)])


class Bridge:
    """From what an encoder found to the decoder's first states: h = tanh(W s + b) in each layer (Neubig 2017, Eq. 67).

    Where the cell is an LSTM, the memory starts as the argument of that tanh, so that the hidden state is what a fully
    open output gate would show of it.
    """

    def __init__(
        self, collection: dy.ParameterCollection, cell: str, found: int, size: int, layers: int, init_scale: float
    ):
        """found: how many numbers the encoder has for each layer."""
        uniform = dy.UniformInitializer(init_scale)
        self.W = [collection.add_parameters((size, found), init=uniform) for _ in range(layers)]
        self.b = [collection.add_parameters(size, init=0) for _ in range(layers)]
        self.state_type = CELLS[cell].state_type

    def __call__(self, found: Sequence[dy.Expression]) -> list[State]:
        """found: one per layer, (found,) x B."""
        inner = [dy.affine_transform([b, W, s]) for W, b, s in zip(self.W, self.b, found, strict=True)]
        if self.state_type is HiddenState:
            return [HiddenState(dy.tanh(value)) for value in inner]
        return [self.state_type(dy.tanh(value), value) for value in inner]
