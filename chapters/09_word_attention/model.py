"""Word attention and contextual gates (Wu et al. 2018).

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
from common.nn.encoders import PairScores, Source
from common.nn.parameters import DynetParameters, NeuralModel
from common.nn.recurrent import State
from common.nn.softmax import as_rows, embed, fold_time, negative_log_probs, tied_logits, unfold_time
from common.nn.source_attention import ContextDecoder, Memory, MLPScore, attention_weights, context
from common.text.pairs import PairBatch
from common.text.vocab import Vocabulary

from .settings import OUTPUT_CONTEXTS, QUERIES, VARIANTS, Settings


class Reading(NamedTuple):
    """The words y_{i-1} of all steps, embedded, (H, T) x B, and what the decoder and the gate make of them."""

    embedded: dy.Expression
    for_decoder: dy.Expression
    for_gate: dy.Expression | None

    def at(self, t: int) -> Reading:
        """The same of one step, each a column."""
        return Reading(*(part if part is None else dy.pick(part, t, dim=1) for part in self))


class Step(NamedTuple):
    """What a step of the decoder is: s_i, and what was attended to on the way to it.

    layers: each layer's state. contexts: c_i^alpha and, with word attention, c_i^beta, as the decoder reads them
    (Eq. 3; with gates Eq. 6), each (H,) x B. for_output: the same as the output layer reads them (Eq. 4).
    weights: alpha_i and beta_i, (S, 1) x B. gate: o_i, (H,) x B, or None.
    """

    layers: list[State]
    contexts: list[dy.Expression]
    for_output: list[dy.Expression]
    weights: list[dy.Expression]
    gate: dy.Expression | None


class DecoderState(NamedTuple):
    """What is known in the middle of a translation.

    memories: the source as annotations and, with word attention, as embeddings. layers: the state of each layer.
    attention, word_attention: (B, S), and gates: the mean of 1 - o_i, (B,), of the last step, where the model has them.
    """

    memories: list[Memory]
    layers: list[State]
    attention: np.ndarray | None = None
    word_attention: np.ndarray | None = None
    gates: np.ndarray | None = None


class WordAttentionModel(NeuralModel, PairScores):
    """P(E | F) with attention to annotations and to words (Wu et al. 2018, Eq. 1 to 6).

    variant: "rnnsearch" attends to the annotations alone (Bahdanau et al. 2015), "word" to the words' embeddings too,
    "gates" weighs the two contexts against each other.
    query: "state", s_{i-1} alone, as Eq. 1 prints it; or "word", s_{i-1} together with y_{i-1}, the word that s_{i-1}
    has not read yet.
    output_contexts: where there are gates, g reads the contexts "plain", as Eq. 4 prints it, or "gated", as f does in
    Eq. 6. Gates may also have a scale and a bias, which Eq. 5 and 6 do not print; without gates all three say nothing.
    """

    settings_class = Settings

    def __init__(
        self, source_vocab: Vocabulary, vocab: Vocabulary, log_frequencies: np.ndarray | None = None, **options: Any
    ):
        """As `NeuralModel` says."""
        settings = Settings(**options)
        H, V, scale = settings.hidden_size, len(vocab), settings.init_scale
        self.source_vocab, self.vocab = source_vocab, vocab
        self.variant, self.query = settings.variant, settings.query
        self.output_contexts, self.gate_scale = settings.output_contexts, settings.gate_scale
        self.dropout = Dropout(settings.dropout)
        self.footprint_of = settings.footprint
        self.collection = dy.ParameterCollection()
        uniform = dy.UniformInitializer(scale)
        sources, self.gated = VARIANTS[self.variant]
        self.source_embedding = self.collection.add_parameters((len(source_vocab), H), init=uniform)
        self.embedding = self.collection.add_parameters((V, H), init=uniform)
        shape = (settings.cell, H, settings.layers, scale)
        self.encoder = BidirectionalEncoder(self.collection, *shape, H // 2, settings.residual)
        self.decoder = ContextDecoder(self.collection, *shape, [H] * sources)
        query_size = 2 * H if QUERIES[self.query] else H
        self.scores = [MLPScore(self.collection, H, query_size, H, scale) for _ in range(sources)]
        if self.gated:
            self.W_o = self.collection.add_parameters((H, H), init=uniform)
            self.U_o = self.collection.add_parameters((H, H), init=uniform)
            self.C_o = [self.collection.add_parameters((H, H), init=uniform) for _ in range(sources)]
            start = settings.gate_bias
            self.b_o = self.collection.add_parameters(H, init=dy.ConstInitializer(start)) if start else None
        self.W_g = self.collection.add_parameters((H, (2 + sources) * H), init=uniform)
        self.b_g = self.collection.add_parameters(H, init=0)
        bias = np.zeros(V) if log_frequencies is None else log_frequencies
        self.b_s = self.collection.add_parameters(V, init=dy.NumpyInitializer(bias))
        sizes = f"{settings.layers} x {H}, {len(source_vocab)} to {V} words"
        reading = f"{settings.variant}, query {settings.query}, {settings.cell}"
        self.name = f"word attention, {reading}, {sizes}{', residual' * settings.residual}{settings.gate_flags()}"

    def losses(self, batch: PairBatch, dropout: Dropout) -> dy.Expression:
        """-log P(word | source, words before it) of every prediction: (1,) x T*B."""
        state = self.start(Source.of_batch(self.source_embedding, batch), dropout)
        inputs = batch.target.inputs
        words = dropout(unfold_time(embed(self.embedding, inputs.T.ravel().tolist()), len(inputs)))
        steps = self.decode(state, words, dropout)
        outputs = [[step.layers[-1].hidden, *step.for_output] for step in steps]
        seen = [words, *(dy.concatenate_cols(list(part)) for part in zip(*outputs, strict=True))]
        return negative_log_probs(self.logits(dropout(fold_time(dy.concatenate(seen)))), batch.target.targets)

    def start(self, source: Source, dropout: Dropout) -> DecoderState:
        """Read the source: an annotation of every word beside its embedding x_j."""
        annotations, first = self.encoder.read(source, dropout)
        vectors = [annotations, source.words][: len(self.scores)]
        pairs = zip(self.scores, vectors, strict=True)
        return DecoderState([Memory.of(score, dropout(part), source.lengths) for score, part in pairs], first)

    def decode(self, state: DecoderState, words: dy.Expression, dropout: Dropout) -> list[Step]:
        """The steps that read the words y_{i-1}, embedded, (H, T) x B."""
        reading, steps, layers = self.read(words), [], state.layers
        for t in range(words.dim()[0][1]):
            steps.append(self.step(state.memories, layers, reading.at(t), dropout))
            layers = steps[-1].layers
        return steps

    def read(self, words: dy.Expression) -> Reading:
        """What depends on the words y_{i-1} alone, for all steps at once: words (H, T) x B."""
        return Reading(words, self.decoder.project(words), self.W_o * words if self.gated else None)

    def step(self, memories: list[Memory], layers: list[State], word: Reading, dropout: Dropout = NO_DROPOUT) -> Step:
        """s_i = f(s_{i-1}, y_{i-1}, o_i . c_i^alpha, (1 - o_i) . c_i^beta) (Eq. 6), or without the gate (Eq. 3)."""
        before = layers[-1].hidden
        query = dy.concatenate([before, word.embedded]) if QUERIES[self.query] else before
        weights = [attention_weights(score, memory, query) for score, memory in zip(self.scores, memories, strict=True)]
        plain = [context(memory, shares) for memory, shares in zip(memories, weights, strict=True)]
        gate, contexts = None, plain
        if self.gated:
            gate = self.gate(word, before, plain)
            contexts = self.gated_contexts(gate, plain)
        after = self.decoder.step(word.for_decoder, contexts, layers, dropout)
        return Step(after, contexts, contexts if OUTPUT_CONTEXTS[self.output_contexts] else plain, weights, gate)

    def gate(self, word: Reading, before: dy.Expression, contexts: list[dy.Expression]) -> dy.Expression:
        """o_i = sigma(W_o y_{i-1} + U_o s_{i-1} + C_alpha c_i^alpha + C_beta c_i^beta) (Eq. 5), (H,) x B.

        With --gate-bias, a learnt bias is added, which Eq. 5 does not print.
        """
        (C_alpha, C_beta), (alpha, beta) = self.C_o, contexts
        inner = dy.affine_transform([word.for_gate, self.U_o, before, C_alpha, alpha, C_beta, beta])
        return dy.logistic(inner if self.b_o is None else inner + self.b_o)

    def gated_contexts(self, gate: dy.Expression, contexts: list[dy.Expression]) -> list[dy.Expression]:
        """o_i . c_i^alpha and (1 - o_i) . c_i^beta, element by element, as f reads them (Eq. 6), each (H,) x B.

        With --gate-scale, both are multiplied by this number, which Eq. 6 does not print.
        """
        alpha, beta = dy.cmult(gate, contexts[0]), contexts[1] - dy.cmult(gate, contexts[1])
        return [alpha, beta] if self.gate_scale == 1 else [alpha * self.gate_scale, beta * self.gate_scale]

    def logits(self, seen: dy.Expression) -> dy.Expression:
        """The argument of the softmax, g(y_{i-1}, s_i, c_i^alpha, c_i^beta) (Eq. 4), as E (W_g [...] + b_g) + b_s.

        seen: the four of them, one above the other, (4H,) x N -> (V,) x N; without word attention three, (3H,) x N.
        The contexts are `Step.for_output`: with gates, those of Eq. 4 ("plain") or those of Eq. 6 ("gated").
        """
        return tied_logits(self.embedding, self.b_s, dy.affine_transform([self.b_g, self.W_g, seen]))

    def encode(self, sources: Sequence[Sequence[int]]) -> DecoderState:
        """The state before the first target word of each source, in the computation graph at hand."""
        return self.start(Source.of(self.source_embedding, sources), NO_DROPOUT)

    def next_words(self, state: DecoderState, words: Sequence[int]) -> tuple[DecoderState, dy.Expression]:
        """Read one target word a row; the new state, and log P(next word), (V,) x rows."""
        embedded = embed(self.embedding, list(words))
        step = self.step(state.memories, state.layers, self.read(unfold_time(embedded, 1)).at(0))
        seen = dy.concatenate([embedded, step.layers[-1].hidden, *step.for_output])
        log_probs = dy.log_softmax(self.logits(seen))
        attention, *more = (as_rows(weights) for weights in step.weights)
        gates = None if step.gate is None else 1 - as_rows(step.gate).mean(axis=1)
        return DecoderState(state.memories, step.layers, attention, more[0] if more else None, gates), log_probs

    def select(self, state: DecoderState, rows: Sequence[int]) -> DecoderState:
        """The state of these rows, in this order."""
        rows = list(rows)
        layers = [type(layer)(*(dy.pick_batch_elems(part, rows) for part in layer)) for layer in state.layers]
        return DecoderState([memory.select(rows) for memory in state.memories], layers)


def of_run(folder: Path, settings: Settings) -> tuple[Any, DynetParameters]:
    """The model of the run in `folder`, of any system, without its numbers, and its parameters."""
    vocabularies = (Vocabulary.load(folder / f"{name}.txt") for name in ("source_vocab", "vocab"))
    model = settings.model_class.from_settings(settings, *vocabularies)
    return model, DynetParameters(model)
