"""What translation models share: encoders, and what every model makes of the losses of its predictions.

Every encoder has `start(source, dropout)`, which gives the decoder's state before its first word, one per layer. The
recurrent ones also have `read`, which shows a state for every word. Nothing in a sentence depends on its padding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import dynet as dy
import numpy as np

from common.nn.dropout import NO_DROPOUT, Dropout
from common.nn.recurrent import State
from common.nn.softmax import NextWords, embed, fold_time, masked_sum, unfold_time
from common.nn.stacking import Stack
from common.text.batching import pad
from common.text.pairs import PairBatch, trees_with

if TYPE_CHECKING:
    from common.text.trees import Tree


class Source(NamedTuple):
    """A batch of source sentences: word ids (T, B), padded behind, their lengths (B,), their embeddings (H, T) x B,
    and trees over them, for an encoder that follows trees."""

    ids: np.ndarray
    lengths: np.ndarray
    words: dy.Expression
    trees: Sequence[Tree | None] = ()

    @classmethod
    def of(cls, embedding: dy.Parameters, sentences: Sequence[Sequence[int]]) -> Source:
        """The sentences, of word ids, with their words looked up in an embedding (V, H)."""
        return cls.padded(embedding, *pad(sentences), trees_with(sentences))

    @classmethod
    def of_batch(cls, embedding: dy.Parameters, batch: PairBatch) -> Source:
        """Those of a batch of pairs."""
        return cls.padded(embedding, batch.source, batch.source_mask, batch.trees)

    @classmethod
    def padded(
        cls, embedding: dy.Parameters, ids: np.ndarray, mask: np.ndarray, trees: Sequence[Tree | None] = ()
    ) -> Source:
        """The same from word ids and mask, (T, B)."""
        words = unfold_time(embed(embedding, ids.T.ravel().tolist()), len(ids))
        return cls(ids, mask.sum(axis=0).astype(int), words, trees)


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
    is not `size`. residual: as of `Stack`.
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
        residual: bool = False,
    ):
        self.stack = Stack(collection, cell, size, layers, init_scale, residual, input_size)
        self.backward = backward

    def start(self, source: Source, dropout: Dropout) -> list[State]:
        return self.read(source, dropout)[1]

    def read(self, source: Source, dropout: Dropout) -> tuple[dy.Expression, list[State]]:
        """A state for every word, (H, T) x B in the order of the words, and each layer's after the last one read."""
        words = reverse(source.words, source.lengths) if self.backward else source.words
        states, last = self.stack.run(words, None, dropout, source.lengths)
        return (reverse(states, source.lengths) if self.backward else states), last


class PairScores(NextWords):
    """`loss` and `log_probs` of a model, from its `losses(batch, dropout)` and the `dropout` of its training.

    The former are -log P(word | source, words before it) of every prediction, (1,) x T*B, padding included.
    """

    losses: Callable[[PairBatch, Dropout], dy.Expression]
    dropout: Dropout

    def loss(self, batch: PairBatch) -> dy.Expression:
        """-log P(E | F) of all pairs of the batch, summed, in nats, with dropout."""
        return masked_sum(self.losses(batch, self.dropout), batch.target.mask)

    def log_probs(self, batch: PairBatch) -> np.ndarray:
        """log P(word | source, words before it) in nats, (T, B), without dropout."""
        dy.renew_cg()
        return -np.reshape(self.losses(batch, NO_DROPOUT).npvalue(), batch.target.targets.shape, order="F")
