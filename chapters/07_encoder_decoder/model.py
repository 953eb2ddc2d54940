"""The encoder-decoder: a language model of the target that starts from what was read of the source (Neubig 2017).

Letters in the shapes: H hidden size, T target time steps, B sentences in the batch, V words of the target vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.nn.dropout import NO_DROPOUT, Dropout, make_dropout
from common.nn.encoders import LinearEncoder, PairScores, Source
from common.nn.parameters import DynetParameters, NeuralModel
from common.nn.recurrent import State
from common.nn.softmax import TIED, embed, fold_time, negative_log_probs, output_matrix, tied_logits, unfold_time
from common.nn.stacking import Stack
from common.text.pairs import PairBatch
from common.text.vocab import Vocabulary

from .settings import ENCODERS, Settings


class DecoderState(NamedTuple):
    """What is known in the middle of a translation: the state of each layer of the decoder."""

    layers: list[State]


class EncoderDecoder(NeuralModel, PairScores):
    """P(E | F): a recurrent language model whose first state encodes the source (Neubig 2017, Eq. 60).

    The source's embedding and the target's are two matrices. The target's is also the matrix of the softmax, W_hs,
    unless that is "untied" and has numbers of its own, as in the equation.
    """

    settings_class = Settings

    def __init__(
        self,
        source_vocab: Vocabulary,
        vocab: Vocabulary,
        log_frequencies: np.ndarray | None = None,
        **options: Any,
    ):
        """As `NeuralModel` says."""
        settings = Settings(**options)
        H, V = settings.hidden_size, len(vocab)
        self.source_vocab, self.vocab = source_vocab, vocab
        self.dropout = make_dropout(settings.dropout, settings.dropout_kind)
        self.footprint_of = settings.footprint
        self.collection = dy.ParameterCollection()
        uniform = dy.UniformInitializer(settings.init_scale)
        self.source_embedding = self.collection.add_parameters((len(source_vocab), H), init=uniform)
        self.embedding = self.collection.add_parameters((V, H), init=uniform)
        sizes, backward = (settings.cell, H, settings.layers, settings.init_scale), ENCODERS[settings.encoder]
        encoder = settings.encoder
        if backward is not None:
            self.encoder: Any = LinearEncoder(self.collection, *sizes, backward=backward)
        else:
            from .encoder import describe, make_encoder, source_vocabulary

            self.encoder, encoder = make_encoder(self.collection, settings), describe(settings)
            self.source_vocab = source_vocabulary(settings, source_vocab)
        self.decoder = Stack(self.collection, *sizes)
        tied = TIED[settings.softmax]
        self.W_hs = output_matrix(self.collection, self.embedding, tied, H, settings.init_scale)
        bias = np.zeros(V) if log_frequencies is None else log_frequencies
        self.b_s = self.collection.add_parameters(V, init=dy.NumpyInitializer(bias))
        shape = f"{settings.layers} x {H}, {len(source_vocab)} to {V} words{'' if tied else ', untied'}"
        self.name = f"encoder-decoder, {encoder}, {settings.cell}, {shape}"

    def losses(self, batch: PairBatch, dropout: Dropout) -> dy.Expression:
        """-log P(word | source, words before it) of every prediction: (1,) x T*B (Eq. 60)."""
        source = Source.of_batch(self.source_embedding, batch)
        inputs = batch.target.inputs
        embedded = unfold_time(embed(self.embedding, inputs.T.ravel().tolist()), len(inputs))
        hidden, _ = self.decoder.run(embedded, self.encoder.start(source, dropout), dropout)
        return negative_log_probs(self.logits(fold_time(dropout(hidden))), batch.target.targets)

    def logits(self, hidden: dy.Expression) -> dy.Expression:
        """W_hs h_t + b_s, the argument of the softmax (Eq. 60): (H,) x N -> (V,) x N."""
        return tied_logits(self.W_hs, self.b_s, hidden)

    def encode(self, sources: Sequence[Sequence[int]]) -> DecoderState:
        """The state before the first target word of each source, in the computation graph at hand."""
        return DecoderState(self.encoder.start(Source.of(self.source_embedding, sources), NO_DROPOUT))

    def next_words(self, state: DecoderState, words: Sequence[int]) -> tuple[DecoderState, dy.Expression]:
        """Read one target word per row; the new state, and log P(next word), (V,) x rows."""
        hidden, layers = self.decoder.step(embed(self.embedding, list(words)), state.layers)
        return DecoderState(layers), dy.log_softmax(self.logits(hidden))

    def select(self, state: DecoderState, rows: Sequence[int]) -> DecoderState:
        """The state of these rows, in this order."""
        return DecoderState(
            [type(layer)(*(dy.pick_batch_elems(part, list(rows)) for part in layer)) for layer in state.layers]
        )


def of_run(folder: Path, settings: Settings) -> tuple[EncoderDecoder, DynetParameters]:
    """The model of the run in `folder`, without its numbers, and its parameters."""
    source_vocab, vocab = (Vocabulary.load(folder / f"{name}.txt") for name in ("source_vocab", "vocab"))
    model = EncoderDecoder.from_settings(settings, source_vocab, vocab)
    return model, DynetParameters(model)
