"""The attentional encoder-decoder: every target word attends to every source word (Neubig 2017, section 8).

Letters in the shapes: H hidden size, S source words, T target time steps, B sentences in the batch, V words of the
target vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.nn.bidirectional import BidirectionalEncoder
from common.nn.dropout import NO_DROPOUT, Dropout
from common.nn.encoders import LinearEncoder, PairScores, Source
from common.nn.parameters import DynetParameters, NeuralModel
from common.nn.recurrent import State
from common.nn.softmax import (
    TIED,
    as_rows,
    embed,
    fold_time,
    negative_log_probs,
    output_matrix,
    tied_logits,
    unfold_time,
)
from common.nn.source_attention import Attention, ContextDecoder, context, score_of
from common.text.pairs import PairBatch
from common.text.vocab import Vocabulary
from common.training.start_bias import START_BIASES

from .settings import ENCODERS, FEEDS, Settings


class DecoderState(NamedTuple):
    """What is known in the middle of a translation.

    source: the source, as attention reads it. layers: the state of each layer. context: c_t, (H,) x B. weights:
    alpha_t, (S, 1) x B, of the last step; None before the first. attention: the same as numbers, (B, S), where they
    were requested. step: how many words were read. attentional: h~_t, (H,) x B, where the readout has one.
    """

    source: Any
    layers: list[State]
    context: dy.Expression
    weights: dy.Expression | None = None
    attention: np.ndarray | None = None
    step: int = 0
    attentional: dy.Expression | None = None


class PlainReadout:
    """The softmax reads state and context as they are, [h_t; c_t] (Neubig 2017, Eq. 76): `size` numbers, 2H."""

    def __init__(self, hidden_size: int):
        self.size = 2 * hidden_size

    def attentional(self, hidden: dy.Expression, context: dy.Expression) -> dy.Expression | None:
        """None: no vector combines the two."""
        return None

    def __call__(self, states: Sequence[DecoderState]) -> dy.Expression:
        """What the softmax reads of these steps: (2H, T) x B."""
        hidden = dy.concatenate_cols([state.layers[-1].hidden for state in states])
        return dy.concatenate([hidden, dy.concatenate_cols([state.context for state in states])])


class AttentionalModel(NeuralModel, PairScores):
    """P(E | F) with attention (Neubig 2017, Eq. 72 to 76).

    The matrix of the softmax, W_hs (V, 2H), is the product of the target's embedding (V, H) and W_o (H, 2H): a small
    corpus cannot teach as many numbers as W_hs has. So its rank is at most H. "untied", it has numbers of its own, as
    in Eq. 76. An attentional state (--readout) has H numbers, so that there is no W_o and the softmax reads it through
    the embedding itself or, "untied", through W_hs (V, H).
    """

    settings_class = Settings

    def __init__(
        self,
        source_vocab: Vocabulary,
        vocab: Vocabulary,
        log_frequencies: np.ndarray | None = None,
        pace: float = 1.0,
        **options: Any,
    ):
        """As `NeuralModel` says. pace: source words for each target word, for a bias towards the diagonal."""
        settings = Settings(**options)
        H, V, scale = settings.hidden_size, len(vocab), settings.init_scale
        self.source_vocab, self.vocab = source_vocab, vocab
        self.dropout = Dropout(settings.dropout)
        self.footprint_of = settings.footprint
        self.collection = dy.ParameterCollection()
        uniform = dy.UniformInitializer(scale)
        self.source_embedding = self.collection.add_parameters((len(source_vocab), H), init=uniform)
        self.embedding = self.collection.add_parameters((V, H), init=uniform)
        shape, backward = (settings.cell, H, settings.layers, scale), ENCODERS[settings.encoder]
        if backward is None:  # H/2 numbers of either direction (Neubig 2017, Eq. 65 to 67)
            self.encoder: Any = BidirectionalEncoder(self.collection, *shape, each=H // 2)
        else:
            self.encoder = LinearEncoder(self.collection, *shape, backward=backward)
        self.fed = FEEDS[settings.feed]
        self.decoder = ContextDecoder(self.collection, *shape, [H] * len(self.fed))
        self.score = score_of(settings.score, self.collection, H, scale)
        self.attention, self.readout = Attention(self.score), PlainReadout(H)
        self.fertility: Any = None
        if settings.varied:
            from .variants import vary

            vary(self, settings, pace)
        tied, size = TIED[settings.softmax], self.readout.size
        self.W_o = self.collection.add_parameters((H, size), init=uniform) if tied and size > H else None
        self.W_hs = output_matrix(self.collection, self.embedding, tied, size, scale)
        bias = np.zeros(V) if log_frequencies is None else log_frequencies
        self.b_s = self.collection.add_parameters(V, init=dy.NumpyInitializer(bias))
        sizes = f"{settings.layers} x {H}, {len(source_vocab)} to {V} words{'' if tied else ', untied'}"
        self.name = f"{settings.describe()}, {settings.cell}, {sizes}"

    @classmethod
    def of_pairs(
        cls,
        source_vocab: Vocabulary,
        vocab: Vocabulary,
        settings: Settings,
        sources: Sequence[Sequence[int]],
        targets: Sequence[Sequence[int]],
    ) -> AttentionalModel:
        """A new model; what it starts from is counted on training pairs, given as word ids."""
        bias = START_BIASES[settings.bias](targets, len(vocab))
        pace = sum(map(len, sources)) / sum(map(len, targets))
        return cls.from_settings(settings, source_vocab, vocab, bias, pace=pace)

    def losses(self, batch: PairBatch, dropout: Dropout) -> dy.Expression:
        """-log P(word | source, words before it) of every prediction: (1,) x T*B, padding included."""
        return self.read(batch, dropout)[0]

    def read(self, batch: PairBatch, dropout: Dropout) -> tuple[dy.Expression, list[DecoderState]]:
        """The losses of a batch of pairs, and the states that have what each prediction attended to."""
        state = self.start(Source.of_batch(self.source_embedding, batch), dropout)
        states = self.decode(state, batch.target.inputs, dropout)
        return negative_log_probs(self.logits(dropout(fold_time(self.readout(states)))), batch.target.targets), states

    def start(self, source: Source, dropout: Dropout) -> DecoderState:
        """Read the source: an annotation h_j of every word (--encoder), and c_0 = 0."""
        annotations, first = self.encoder.read(source, dropout)
        (H, _), batch = annotations.dim()
        nothing = dy.zeros((H,), batch_size=batch)
        memory = self.attention.read(dropout(annotations), source.lengths)
        return DecoderState(memory, first, nothing, attentional=nothing)

    def decode(self, state: DecoderState, inputs: np.ndarray, dropout: Dropout) -> list[DecoderState]:
        """The states after each of the inputs (T, B)."""
        words = unfold_time(embed(self.embedding, inputs.T.ravel().tolist()), len(inputs))
        projected, states = self.decoder.project(dropout(words)), []
        for t in range(len(inputs)):
            state = self.step(state, dy.pick(projected, t, dim=1), dropout)
            states.append(state)
        return states

    def step(self, state: DecoderState, projected: dy.Expression, dropout: Dropout = NO_DROPOUT) -> DecoderState:
        """Read a word, attend to the source. projected: the word's part of the decoder's sums.

        h_t = RNN([m_t; c_{t-1}], h_{t-1}) (Eq. 73), alpha_t = softmax(scores) (Eq. 74, 75), c_t = H alpha_t (Eq. 72).
        --feed sets what is read in place of c_{t-1}, --readout what is computed from h_t and c_t.
        """
        fed = [getattr(state, part) for part in self.fed]
        layers = self.decoder.step(projected, fed, state.layers, dropout)
        query = layers[-1].hidden
        weights, source = self.attention(state.source, query, state.step, state.weights)
        seen = context(source, weights)
        combined = self.readout.attentional(query, seen)
        return DecoderState(source, layers, seen, weights, step=state.step + 1, attentional=combined)

    def logits(self, both: dy.Expression) -> dy.Expression:
        """W_hs [h_t; c_t] + b_s, the argument of the softmax (Eq. 76): (2H,) x N -> (V,) x N.

        Tied, W_hs [h_t; c_t] is E (W_o [h_t; c_t]) with the embedding E. Of an attentional state, (H,) x N, it is
        W_hs h~_t + b_s, or E h~_t + b_s (Luong et al. 2015, Eq. 6).
        """
        return tied_logits(self.W_hs, self.b_s, both if self.W_o is None else self.W_o * both)

    def encode(self, sources: Sequence[Sequence[int]]) -> DecoderState:
        """The state before the first target word of each source, in the computation graph at hand."""
        return self.start(Source.of(self.source_embedding, sources), NO_DROPOUT)

    def next_words(self, state: DecoderState, words: Sequence[int]) -> tuple[DecoderState, dy.Expression]:
        """Read one target word per row; the new state, and log P(next word), (V,) x rows."""
        embedded = unfold_time(embed(self.embedding, list(words)), 1)
        state = self.step(state, dy.pick(self.decoder.project(embedded), 0, dim=1))
        log_probs = dy.log_softmax(self.logits(fold_time(self.readout([state]))))
        return state._replace(attention=as_rows(state.weights)), log_probs

    def select(self, state: DecoderState, rows: Sequence[int]) -> DecoderState:
        """The state of these rows, in this order."""
        rows = list(rows)
        pick = lambda part: None if part is None else dy.pick_batch_elems(part, rows)  # noqa: E731
        layers = [type(layer)(*map(pick, layer)) for layer in state.layers]
        source, weights, combined = state.source.select(rows), pick(state.weights), pick(state.attentional)
        return DecoderState(source, layers, pick(state.context), weights, step=state.step, attentional=combined)


def of_run(folder: Path, settings: Settings) -> tuple[AttentionalModel, DynetParameters]:
    """The model of the run in `folder`, without its numbers, and its parameters."""
    vocabularies = (Vocabulary.load(folder / f"{name}.txt") for name in ("source_vocab", "vocab"))
    model = AttentionalModel.from_settings(settings, *vocabularies)
    return model, DynetParameters(model)
