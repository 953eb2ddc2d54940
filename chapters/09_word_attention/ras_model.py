"""RAS, recurrent attentive summarisation: a convolution reads, a recurrent network writes (Chopra et al. 2016).

Letters in the shapes: H hidden size, S source words, T target time steps, B sentences in the batch, V words of the
target vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.memory import Footprint
from common.nn.dropout import NO_DROPOUT, Dropout
from common.nn.encoders import PairScores, Source
from common.nn.parameters import NeuralModel
from common.nn.recurrent import LSTM, HiddenState, RecurrentLayer, State, affine
from common.nn.softmax import as_rows, embed, fold_time, negative_log_probs, unfold_time
from common.nn.source_attention import Memory, attention_weights, context, padding_scores
from common.nn.source_scores import DotScore
from common.sizes import count_numbers, trained_bytes
from common.text.pairs import PairBatch
from common.text.vocab import Vocabulary

from .settings import MEANS, Settings
from .word_windows import around


class Elman(RecurrentLayer):
    """h_t = sigma(W_1 y_{t-1} + W_2 h_{t-1} + W_3 c_t + b): chapter 5's simple network with a sigmoid for its tanh.

    `W_x` (H, H) is W_1, `W_h` (H, H) is W_2, `b` (H,); W_3 is the model's `W_c`.
    """

    block_count = 1

    def cell(self, projected: dy.Expression, state: HiddenState, mask: dy.Expression | None = None) -> HiddenState:
        """From projected = W_1 y_{t-1} + W_3 c_t + b, (H,) x B."""
        return HiddenState(dy.logistic(affine(projected, self.W_h, state.hidden, mask)))


class RASState(NamedTuple):
    """What is known in the middle of a summary: the source, the decoder's state, alpha of the last step, (B, S)."""

    memory: Memory
    layer: State
    attention: np.ndarray | None = None


class RASElman(NeuralModel, PairScores):
    """P(y_t) = softmax(W_4 h_t + W_5 c_t + b), c_t = sum of alpha_j a_j (Chopra et al. 2016).

    a_j = x_j + l_j, the embeddings of a word and of its place; z_j, a convolution over the a_j, has the scores:
    alpha = softmax(z_j . h_{t-1}). h_0 is learnt: with h_0 = 0 the first step would attend to all words alike, and
    take the source for a bag of words. The biases are not in the paper, and its mean is of the x_j (--mean-of words).
    """

    settings_class, kind = Settings, "Elman"
    cell: Callable[..., RecurrentLayer] = Elman

    def __init__(
        self, source_vocab: Vocabulary, vocab: Vocabulary, log_frequencies: np.ndarray | None = None, **options: Any
    ):
        """As `NeuralModel` says."""
        settings = Settings(**{"system": "ras-elman"} | options)
        H, words, scale = settings.hidden_size, len(vocab), settings.init_scale
        uniform = dy.UniformInitializer(scale)
        self.source_vocab, self.vocab = source_vocab, vocab
        self.reach, self.mean_of_places = settings.width // 2, MEANS[settings.mean_of]
        self.dropout = Dropout(settings.dropout)
        self.footprint_of = settings.footprint
        self.collection = dy.ParameterCollection()
        self.source_embedding = self.collection.add_parameters((len(source_vocab), H), init=uniform)
        self.place_embedding = self.collection.add_parameters((settings.positions, H), init=uniform)
        self.W_z = self.collection.add_parameters((H, settings.width * H), init=uniform)
        self.embedding = self.collection.add_parameters((words, H), init=uniform)
        self.layer = self.cell(self.collection, H, H, scale)
        self.W_c = self.collection.add_parameters((self.layer.block_count * H, H), init=uniform)
        parts = len(self.layer.state_type._fields)
        self.first = [self.collection.add_parameters(H, init=uniform) for _ in range(parts)]
        self.W_4, self.W_5 = (self.collection.add_parameters((words, H), init=uniform) for _ in range(2))
        bias = np.zeros(words) if log_frequencies is None else log_frequencies
        self.b = self.collection.add_parameters(words, init=dy.NumpyInitializer(bias))
        reading = f"width {settings.width}, {settings.positions} positions, mean of {settings.mean_of}"
        self.name = f"RAS-{self.kind}, {reading}, {H}, {len(source_vocab)} to {words} words"

    def losses(self, batch: PairBatch, dropout: Dropout) -> dy.Expression:
        """-log P(word | source, words before it) of every prediction: (1,) x T*B."""
        state = self.start(Source.of_batch(self.source_embedding, batch), dropout)
        inputs = batch.target.inputs
        words = dropout(unfold_time(embed(self.embedding, inputs.T.ravel().tolist()), len(inputs)))
        projected, layer, steps = self.layer.project(words), state.layer, []
        for t in range(len(inputs)):
            layer, read, _ = self.step(state.memory, layer, dy.pick(projected, t, dim=1))
            steps.append((layer.hidden, read))
        seen = [dropout(fold_time(dy.concatenate_cols(list(part)))) for part in zip(*steps, strict=True)]
        return negative_log_probs(self.logits(*seen), batch.target.targets)

    def start(self, source: Source, dropout: Dropout) -> RASState:
        """Read the source; the decoder's first state is the same for all."""
        (size, _), batch = source.words.dim()
        zeros = dy.zeros((size,), batch_size=batch)
        return RASState(self.read(source, dropout), self.layer.state_type(*(zeros + part for part in self.first)))

    def read(self, source: Source, dropout: Dropout) -> Memory:
        """a_j = x_j + l_j, and z_j = W_z [a_{j-2}; ...; a_{j+2}] for a width of 5; beyond the ends a is zero."""
        words = dropout(source.words)
        (_, time), _ = words.dim()
        placed = words + self.places(time)
        z = self.W_z * dy.concatenate(around(placed, source.lengths, self.reach))
        return Memory(placed if self.mean_of_places else words, dy.transpose(z), padding_scores(source.lengths, time))

    def places(self, time: int) -> dy.Expression:
        """l_1 ... l_S, (H, S); places behind the last one that has an embedding share it."""
        last = self.place_embedding.shape()[0] - 1
        return unfold_time(embed(self.place_embedding, np.minimum(np.arange(time), last).tolist()), time)

    def step(
        self, memory: Memory, layer: State, projected: dy.Expression
    ) -> tuple[State, dy.Expression, dy.Expression]:
        """The state with h_t = f(y_{t-1}, h_{t-1}, c_t); c_t, (H,) x B; and alpha, (S, 1) x B.

        projected: the word's share, one column of `layer.project`. The attention comes before the step.
        """
        weights = attention_weights(DotScore(), memory, layer.hidden)
        read = context(memory, weights)
        return self.layer.cell(dy.affine_transform([projected, self.W_c, read]), layer), read, weights

    def logits(self, hidden: dy.Expression, read: dy.Expression) -> dy.Expression:
        """W_4 h_t + W_5 c_t + b, the argument of the softmax: (H,) x N each -> (V,) x N."""
        return dy.affine_transform([self.b, self.W_4, hidden, self.W_5, read])

    def encode(self, sources: Sequence[Sequence[int]]) -> RASState:
        """The state before the first word of each summary, in the computation graph at hand."""
        return self.start(Source.of(self.source_embedding, sources), NO_DROPOUT)

    def next_words(self, state: RASState, words: Sequence[int]) -> tuple[RASState, dy.Expression]:
        """Read one word a row; the new state, and log P(next word), (V,) x rows."""
        projected = dy.affine_transform([self.layer.b, self.layer.W_x, embed(self.embedding, list(words))])
        layer, read, weights = self.step(state.memory, state.layer, projected)
        return RASState(state.memory, layer, as_rows(weights)), dy.log_softmax(self.logits(layer.hidden, read))

    def select(self, state: RASState, rows: Sequence[int]) -> RASState:
        """The state of these rows, in this order."""
        rows = list(rows)
        layer = type(state.layer)(*(dy.pick_batch_elems(part, rows) for part in state.layer))
        return RASState(state.memory.select(rows), layer)


class RASLSTM(RASElman):
    """The same with an LSTM of chapter 5 for the simple network."""

    kind, cell = "LSTM", LSTM


def footprint(settings: Settings, source_words: int, words: int) -> Footprint:
    """What `RASElman` takes, or `RASLSTM`, whose cell is the larger one."""
    H, numbers = settings.hidden_size, count_numbers(LSTM, settings.hidden_size, 1)
    table = (source_words + settings.positions) * H + words * (3 * H + 1)
    parameters = table + (settings.width + 12) * H * H + 6 * H
    word, source = words + numbers + 14 * H, (2 * settings.width + 10) * H
    return Footprint(parameters, word, source, 5, 2 * H + 2, trained_bytes(settings))
