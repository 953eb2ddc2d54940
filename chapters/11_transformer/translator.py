"""The Transformer as it was published, an encoder-decoder for translation (Vaswani et al. 2017, Figure 1).

Letters in the shapes: H hidden size, S source words, T target time steps, B sentences in the batch, V words of the
target vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.nn.dropout import Dropout, drop
from common.nn.encoders import PairScores
from common.nn.parameters import DynetParameters, NeuralModel
from common.nn.softmax import FORBIDDEN, as_rows, embed, fold_time, negative_log_probs, tied_logits, unfold_time
from common.text.batching import pad
from common.text.pairs import PairBatch
from common.text.vocab import Vocabulary

from .block import NORMS, Attention, Block, Past, causal_mask
from .positions import POSITIONS
from .settings_pairs import Settings


class DecoderState(NamedTuple):
    """What is known in the middle of a translation.

    source: for each block of the decoder, the keys and values of the source. padding: see `padding_mask`. past: for
    each block, the keys and values of the target words so far. attention: the weights of the source words at the last
    step, as numbers, (B, S); None before the first.
    """

    source: Sequence[Past]
    padding: dy.Expression | None
    past: Sequence[Past | None]
    attention: np.ndarray | None = None


class DecoderBlock(Block):
    """A block with a third part between attention and network: attention to the source."""

    def __init__(self, collection: dy.ParameterCollection, settings: Any):
        super().__init__(collection, settings)
        self.to_source = Attention(collection, settings)

    def read_source(self, annotations: dy.Expression) -> Past:
        """The keys and values of the source, (H, S) x B, which stay the same at every step."""
        return Past(self.to_source.W_k * annotations, self.to_source.W_v * annotations)

    def step(
        self,
        x: dy.Expression,
        time: int,
        past: Past | None,
        source: Past,
        padding: dy.Expression | None,
        dropout: float,
    ) -> tuple[dy.Expression, Past, list[dy.Expression]]:
        """(H,) x T*B -> (H,) x T*B, the past of later positions, and each head's weights of the source, (S, T) x B."""
        mask = causal_mask(time) if time > 1 else None
        attended, past = self.attention(unfold_time(self.before(x), time), past, mask)
        x = self.after(x + drop(fold_time(attended), dropout))
        queries = self.to_source.W_q * unfold_time(self.before(x), time)
        weights = self.to_source.weights(queries, source.keys, padding)
        x = self.after(x + drop(fold_time(self.to_source.mix(weights, source.values)), dropout))
        return self.after(x + drop(self.network(self.before(x)), dropout)), past, weights


class TransformerTranslator(NeuralModel, PairScores):
    """P(E | F): blocks without a causal mask read the source, and blocks that also attend to it predict the target.

    The matrix of the softmax is the embedding of the target words.
    """

    settings_class = Settings

    def __init__(
        self, source_vocab: Vocabulary, vocab: Vocabulary, log_frequencies: np.ndarray | None = None, **flags: Any
    ):
        """As `NeuralModel` says."""
        settings = Settings(**flags)
        H, V, scale = settings.hidden_size, len(vocab), settings.init_scale
        self.source_vocab, self.vocab = source_vocab, vocab
        self.dropout, self.footprint_of = Dropout(settings.dropout), settings.footprint
        self.alignment_head = settings.alignment_head
        size = f"{settings.layers} x {H}, inner {settings.inner_size * H}, {settings.heads} heads"
        kind = f"positions {settings.positions}, norm {settings.norm}"
        self.name = f"Transformer translator, {size}, {len(source_vocab)} to {V} words, {kind}"

        self.collection = dy.ParameterCollection()
        uniform = dy.UniformInitializer(scale)
        self.source_embedding = self.collection.add_parameters((len(source_vocab), H), init=uniform)
        self.embedding = self.collection.add_parameters((V, H), init=uniform)
        make, _ = POSITIONS[settings.positions]
        self.source_positions, self.positions = (make(self.collection, H, scale) if make else None for _ in range(2))
        self.encoder = [Block(self.collection, settings) for _ in range(settings.layers)]
        self.decoder = [DecoderBlock(self.collection, settings) for _ in range(settings.layers)]
        self.last_norm, _ = NORMS[settings.norm]
        bias = np.zeros(V) if log_frequencies is None else log_frequencies
        self.b = self.collection.add_parameters(V, init=dy.NumpyInitializer(bias))

    def losses(self, batch: PairBatch, dropout: Dropout) -> dy.Expression:
        """-log P(word | source, words before it) of every prediction: (1,) x T*B, padding included."""
        state = self.read_source(batch.source, batch.source_mask, dropout.rate)
        x, _, _ = self.decode(state, batch.target.inputs, dropout.rate)
        return negative_log_probs(self.logits(x), batch.target.targets)

    def read_source(self, ids: np.ndarray, mask: np.ndarray, dropout: float = 0) -> DecoderState:
        """The state before the first target word: word ids (S, B) of the sources, and 1 on real words, 0 on padding."""
        padding = padding_mask(mask)
        x = drop(
            place(embed(self.source_embedding, ids.T.ravel().tolist()), self.source_positions, 0, len(ids)), dropout
        )
        for block in self.encoder:
            x, _ = block(x, len(ids), None, padding, dropout)
        annotations = unfold_time(self.last_norm(x), len(ids))
        return DecoderState(
            [block.read_source(annotations) for block in self.decoder], padding, [None] * len(self.decoder)
        )

    def decode(
        self, state: DecoderState, inputs: np.ndarray, dropout: float = 0
    ) -> tuple[dy.Expression, list[Past], list[dy.Expression]]:
        """Read target words (T, B): vectors (H,) x T*B, the past of later words, and the weights of all heads of all
        blocks, (S, T) x B each.

        The words may be all of a sentence, or one, whose past is in the state.
        """
        time, pasts, weights = len(inputs), [], []
        first = state.past[0].keys.dim()[0][1] if state.past[0] else 0
        x = drop(place(embed(self.embedding, inputs.T.ravel().tolist()), self.positions, first, time), dropout)
        for block, past, source in zip(self.decoder, state.past, state.source, strict=True):
            x, past, of_heads = block.step(x, time, past, source, state.padding, dropout)
            pasts.append(past)
            weights += of_heads
        return x, pasts, weights

    def logits(self, x: dy.Expression) -> dy.Expression:
        """The argument of the softmax: (H,) x N -> (V,) x N."""
        return tied_logits(self.embedding, self.b, self.last_norm(x))

    def encode(self, sources: Sequence[Sequence[int]]) -> DecoderState:
        """The state before the first target word of each source, in the computation graph at hand."""
        return self.read_source(*pad(sources))

    def next_words(self, state: DecoderState, words: Sequence[int]) -> tuple[DecoderState, dy.Expression]:
        """Read one target word per row; the new state, and log P(next word), (V,) x rows."""
        x, past, weights = self.decode(state, np.array([words]))
        attention = weights[self.alignment_head - 1] if self.alignment_head else dy.average(weights)
        return state._replace(past=past, attention=as_rows(attention)), dy.log_softmax(self.logits(x))

    def select(self, state: DecoderState, rows: Sequence[int]) -> DecoderState:
        """The state of these rows, in this order."""
        rows = list(rows)
        pick = lambda part: None if part is None else dy.pick_batch_elems(part, rows)  # noqa: E731
        source = [Past(*map(pick, each)) for each in state.source]
        return DecoderState(source, pick(state.padding), [each and Past(*map(pick, each)) for each in state.past])

    def attention(self, batch: PairBatch) -> np.ndarray:
        """The weights of the source, for display: (layers * heads, T, S, B), how much of word S step T attends to."""
        dy.renew_cg()
        _, _, weights = self.decode(self.read_source(batch.source, batch.source_mask), batch.target.inputs)
        shape = len(batch.source), len(batch.target.inputs), len(batch.target.indices)
        return np.array([np.reshape(of_head.npvalue(), shape).swapaxes(0, 1) for of_head in weights])


def place(x: dy.Expression, positions: Any, first: int, time: int) -> dy.Expression:
    """Embeddings, times the root of H, and positions from `first` on, if any are added: (H,) x T*B -> (H,) x T*B."""
    (size,), _ = x.dim()
    x = x * size**0.5
    return fold_time(unfold_time(x, time) + positions(first, time)) if positions else x


def padding_mask(mask: np.ndarray) -> dy.Expression | None:
    """0 where a source word may be attended to, `FORBIDDEN` on padding: (S, B) of 1 and 0 -> (S, 1) x B.

    None where nothing is padded.
    """
    return None if mask.all() else dy.inputTensor(FORBIDDEN * (1 - mask[:, None]), batched=True)


def of_run(folder: Path, settings: Settings) -> tuple[TransformerTranslator, DynetParameters]:
    """The model of the run in `folder`, without its numbers, and its parameters."""
    vocabularies = (Vocabulary.load(folder / f"{name}.txt") for name in ("source_vocab", "vocab"))
    model = TransformerTranslator.from_settings(settings, *vocabularies)
    return model, DynetParameters(model)
