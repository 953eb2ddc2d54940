"""The Transformer as a language model: attention to the past in place of a recurrent state (Vaswani et al. 2017).

Letters in the shapes: H hidden size, T time steps, B sentences in the batch, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dynet as dy
import numpy as np

from common.nn.dropout import drop
from common.nn.parameters import DynetParameters, NeuralModel
from common.nn.softmax import NextWords, embed, fold_time, masked_sum, negative_log_probs, tied_logits, unfold_time
from common.text.batching import Batch
from common.text.vocab import Vocabulary

from .block import NORMS, Block, Past, causal_mask
from .positions import POSITIONS
from .settings import Settings

State = Sequence[Past | None]
"""The keys and values of each block: the cache. The next word has their number as its position."""


class TransformerLM(NeuralModel, NextWords):
    """Embeddings and positions, blocks of attention and a network, and a softmax whose matrix is the embedding."""

    settings_class = Settings

    def __init__(self, vocab: Vocabulary, log_frequencies: np.ndarray | None = None, **flags: Any):
        """As `NeuralModel` says."""
        settings = Settings(**flags)
        H, V, scale = settings.hidden_size, len(vocab), settings.init_scale
        self.vocab, self.dropout, self.footprint_of = vocab, settings.dropout, settings.footprint
        size = f"{settings.layers} x {H}, inner {settings.inner_size * H}, {settings.heads} heads, {V} words"
        self.name = f"Transformer LM, {size}, positions {settings.positions}, norm {settings.norm}"

        self.collection = dy.ParameterCollection()
        self.embedding = self.collection.add_parameters((V, H), init=dy.UniformInitializer(scale))
        make_positions, _ = POSITIONS[settings.positions]
        self.positions = make_positions(self.collection, H, scale) if make_positions else None
        self.blocks = [Block(self.collection, settings) for _ in range(settings.layers)]
        self.last_norm, _ = NORMS[settings.norm]
        bias = np.zeros(V) if log_frequencies is None else log_frequencies
        self.b = self.collection.add_parameters(V, init=dy.NumpyInitializer(bias))

    def loss(self, batch: Batch, rng: np.random.Generator | None = None) -> dy.Expression:
        """-log P of all sentences of the batch, summed, in nats, with dropout: the training loss."""
        logits = self.logits(batch.inputs, self.dropout)
        return masked_sum(negative_log_probs(logits, batch.targets), batch.mask)

    def logits(self, inputs: np.ndarray, dropout: float = 0) -> dy.Expression:
        """The scores of the next word at every step, all steps at once: word ids (T, B) -> (V,) x T*B.

        Dropout is on embeddings and on what each part of a block adds.
        """
        time, mask = len(inputs), causal_mask(len(inputs))
        x = drop(self.embed(inputs.T.ravel().tolist(), 0, time), dropout)
        for block in self.blocks:
            x, _ = block(x, time, None, mask, dropout)
        return self.output(x)

    def embed(self, words: list[int], first: int, time: int) -> dy.Expression:
        """Embeddings, times the root of H, and positions from `first` on: T*B word ids -> (H,) x T*B."""
        x = embed(self.embedding, words) * self.embedding.shape()[1] ** 0.5
        return fold_time(unfold_time(x, time) + self.positions(first, time)) if self.positions else x

    def output(self, x: dy.Expression) -> dy.Expression:
        """The argument of the softmax: (H,) x T*B -> (V,) x T*B."""
        return tied_logits(self.embedding, self.b, self.last_norm(x))

    def log_probs(self, batch: Batch) -> np.ndarray:
        """log P(target | words before it) in nats, (T, B), without dropout."""
        dy.renew_cg()
        losses = negative_log_probs(self.logits(batch.inputs), batch.targets)
        return -np.reshape(losses.npvalue(), batch.targets.shape, order="F")

    def start(self, batch_size: int) -> State:
        """The state before the first word. It begins a new computation graph: earlier states are void."""
        dy.renew_cg()
        return [None] * len(self.blocks)

    def next_words(self, state: State, words: Sequence[int]) -> tuple[State, dy.Expression]:
        """Read one word per sentence; the new state, and log P(next word), (V,) x B in nats (`NextWords`).

        The cache has the keys and values of the words before, so that only the new word goes through the blocks.
        """
        position = state[0].keys.dim()[0][1] if state[0] else 0
        x, new_state = self.embed(list(words), position, 1), []
        for block, past in zip(self.blocks, state, strict=True):
            x, past = block(x, 1, past, mask=None)
            new_state.append(past)
        return new_state, dy.log_softmax(self.output(x))

    def attention(self, inputs: np.ndarray) -> np.ndarray:
        """The weights, for display: word ids (T, B) -> (layers, heads, T, T, B), how much of step i column t reads."""
        dy.renew_cg()
        time, mask, maps = len(inputs), causal_mask(len(inputs)), []
        x = self.embed(inputs.T.ravel().tolist(), 0, time)
        for block in self.blocks:
            queries, past = block.attention.read(unfold_time(block.before(x), time), None)
            maps.append([weights.npvalue() for weights in block.attention.weights(queries, past.keys, mask)])
            x, _ = block(x, time, None, mask)
        return np.reshape(maps, (*np.shape(maps)[:2], time, time, inputs.shape[1]))


def of_run(folder: Path, settings: Settings) -> tuple[TransformerLM, DynetParameters]:
    """The model of the run in `folder`, without its numbers, and its parameters."""
    model = TransformerLM.from_settings(settings, Vocabulary.load(folder / "vocab.txt"))
    return model, DynetParameters(model)
