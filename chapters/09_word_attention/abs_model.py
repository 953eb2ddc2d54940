"""ABS, attention-based summarisation: a feed-forward language model that reads the source (Rush et al. 2015).

Nothing goes on from step to step but the last C words, so all steps of all sentences are computed at once.

Letters in the shapes: H hidden size, S source words, T target time steps, B sentences in the batch, V words of the
target vocabulary, C words of a history.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.memory import Footprint
from common.nn.dropout import NO_DROPOUT, Dropout
from common.nn.encoders import PairScores, Source
from common.nn.parameters import NeuralModel
from common.nn.softmax import as_rows, fold_time, negative_log_probs
from common.nn.source_attention import Memory, padding_scores
from common.sizes import trained_bytes
from common.text.histories import histories
from common.text.pairs import PairBatch
from common.text.vocab import Vocabulary

from . import abs_encoders
from .settings import ENCODERS, Settings
from .word_windows import side_by_side


class ABSState(NamedTuple):
    """What is known in the middle of a summary: the source, and the last C words, (C, B), the oldest first.

    attention: p of the last step, (B, S).
    """

    memory: Memory
    history: np.ndarray
    attention: np.ndarray | None = None


class ABS(NeuralModel, PairScores):
    """p(y_t | y_c, x) = softmax(V h + W enc(x, y_c) + b), h = tanh(U y_c + c) (Rush et al. 2015, section 3.1).

    y_c = [E y_{t-C}; ...; E y_{t-1}], and enc is the mean of the source's vectors by the weights p (`abs_encoders`).
    With --layers, there are more hidden layers between h and the output. The biases are not in the paper,
    and embeddings are smoothed with the divisor 2Q + 1, where it prints Q.
    """

    settings_class = Settings

    def __init__(
        self, source_vocab: Vocabulary, vocab: Vocabulary, log_frequencies: np.ndarray | None = None, **options: Any
    ):
        """As `NeuralModel` says."""
        settings = Settings(**{"system": "abs"} | options)
        H, words, uniform = settings.hidden_size, len(vocab), dy.UniformInitializer(settings.init_scale)
        self.source_vocab, self.vocab, self.length = source_vocab, vocab, settings.context
        self.dropout = Dropout(settings.dropout)
        self.footprint_of = settings.footprint
        self.collection = dy.ParameterCollection()
        self.source_embedding = self.collection.add_parameters((len(source_vocab), H), init=uniform)
        self.embedding = self.collection.add_parameters((words, H), init=uniform)
        self.encoder = getattr(abs_encoders, ENCODERS[settings.encoder])(self.collection, words, settings)
        sizes = [self.length * H, *[H] * (settings.layers - 1)]
        self.U = [self.collection.add_parameters((H, size), init=uniform) for size in sizes]
        self.c = [self.collection.add_parameters(H, init=0) for _ in sizes]
        self.V, self.W = (self.collection.add_parameters((words, H), init=uniform) for _ in range(2))
        bias = np.zeros(words) if log_frequencies is None else log_frequencies
        self.b = self.collection.add_parameters(words, init=dy.NumpyInitializer(bias))
        reading = f"{settings.encoder}, smooth {settings.smooth}, {settings.context} words before"
        self.name = f"ABS, {reading}, {settings.layers} x {H}, {len(source_vocab)} to {words} words"

    def losses(self, batch: PairBatch, dropout: Dropout) -> dy.Expression:
        """-log P(word | source, C words before it) of every prediction: (1,) x T*B."""
        memory = self.read(Source.of_batch(self.source_embedding, batch), dropout)
        logits, _ = self.logits(memory, histories(batch.target.inputs, self.length + 1), dropout)
        return negative_log_probs(logits, batch.target.targets)

    def read(self, source: Source, dropout: Dropout) -> Memory:
        """The vectors that are averaged, beside the embeddings that histories are compared with."""
        words = dropout(source.words)
        padding = padding_scores(source.lengths, words.dim()[0][1])
        return Memory(self.encoder.averaged(words, source.lengths), dy.transpose(words), padding)

    def logits(self, memory: Memory, words: np.ndarray, dropout: Dropout) -> tuple[dy.Expression, dy.Expression]:
        """V h + W enc + b of every history, (V,) x T*B, and the weights p, (S, T) x B; words (C, T, B)."""
        weights = self.weights(memory, words)
        encoded = dropout(fold_time(memory.annotations * weights))
        hidden = self.hidden(words, dropout)
        return dy.affine_transform([self.b, self.V, hidden, self.W, encoded]), weights

    def weights(self, memory: Memory, words: np.ndarray) -> dy.Expression:
        """p: the softmax of the encoder's scores over the source, for words (C, T, B): (S, T) x B."""
        scores = self.encoder.scores(memory.keys, words)
        return dy.softmax(scores if memory.padding is None else scores + memory.padding)

    def hidden(self, words: np.ndarray, dropout: Dropout) -> dy.Expression:
        """h = tanh(U y_c + c), and layer by layer the same above it: words (C, T, B) -> (H,) x T*B."""
        hidden = dropout(side_by_side(self.embedding, words))
        for U, c in zip(self.U, self.c, strict=True):
            hidden = dropout(dy.tanh(dy.affine_transform([c, U, hidden])))
        return hidden

    def encode(self, sources: Sequence[Sequence[int]]) -> ABSState:
        """The state before the first word of each summary, in the computation graph at hand."""
        memory = self.read(Source.of(self.source_embedding, sources), NO_DROPOUT)
        return ABSState(memory, np.full((self.length, len(sources)), Vocabulary.boundary))

    def next_words(self, state: ABSState, words: Sequence[int]) -> tuple[ABSState, dy.Expression]:
        """Read one word a row; the new state, and log P(next word), (V,) x rows."""
        history = np.concatenate([state.history[1:], [words]])
        logits, weights = self.logits(state.memory, history[:, None], NO_DROPOUT)
        return ABSState(state.memory, history, as_rows(weights)), dy.log_softmax(logits)

    def select(self, state: ABSState, rows: Sequence[int]) -> ABSState:
        """The state of these rows, in this order."""
        return ABSState(state.memory.select(list(rows)), state.history[:, list(rows)])


def footprint(settings: Settings, source_words: int, words: int) -> Footprint:
    """What `ABS` takes, with the larger of its encoders."""
    H, C, layers = settings.hidden_size, settings.context, settings.layers
    parameters = source_words * H + words * (4 * H + 1) + (2 * C + layers) * H * (H + 1)
    word, source = words + (3 * C + 3 * layers + 8) * H, (2 * settings.smooth + 10) * H
    return Footprint(parameters, word, source, 4, 2 * H + 2, trained_bytes(settings))
