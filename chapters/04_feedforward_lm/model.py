"""The feed-forward language model: the next word from the embeddings of the n-1 words before it (Bengio et al. 2003).

Letters in the shapes: V vocabulary, L embedding size, H hidden size, n order, T time steps, B sentences in the batch,
N real predictions among the T*B.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dynet as dy
import numpy as np

from common.nn.dropout import drop
from common.nn.full_softmax import STARTS, FullSoftmax, Softmax, in_parts
from common.nn.parameters import DynetParameters, NeuralModel, Parameter
from common.nn.softmax import NextWords, embed
from common.text.batching import Batch
from common.text.histories import histories
from common.text.vocab import Vocabulary

from .settings import ACTIVATIONS, SOFTMAXES, Settings


class FeedForwardLM(NeuralModel, NextWords):
    """Embeddings side by side, hidden layers, softmax (Neubig 2017, Eq. 42). Without hidden layers, log-linear."""

    settings_class, plain_states = Settings, True

    def __init__(self, vocab: Vocabulary, log_frequencies: np.ndarray | None = None, **flags: Any):
        """As `NeuralModel` says. log_frequencies: cheap softmaxes, too, build on them; all words are equal without."""
        settings, even = Settings(**flags), np.full(len(vocab), -np.log(len(vocab)))
        unigram = even if log_frequencies is None else log_frequencies
        self.vocab, self.order, self.dropout = vocab, settings.order, settings.dropout
        self.name = describe(settings, len(vocab))
        self.footprint_of = settings.footprint
        self.collection = dy.ParameterCollection()
        self.activation = ACTIVATIONS[settings.activation]
        uniform, size = dy.UniformInitializer(settings.init_scale), settings.embedding_size or settings.hidden_size
        # A lookup table, of which the optimiser visits only the rows that a batch has used, unless the full softmax
        # uses the same numbers as its matrix, and hence all of them in every batch.
        ordinary = settings.tied and settings.softmax == "full"
        add = self.collection.add_parameters if ordinary else self.collection.add_lookup_parameters
        self.embedding = add((len(vocab), size), init=uniform)
        widths = [(self.order - 1) * size] + [settings.hidden_size] * settings.layers
        self.layers = [
            (
                self.collection.add_parameters((above, below), init=uniform),
                self.collection.add_parameters(above, init=0),
            )
            for below, above in zip(widths, widths[1:], strict=False)
        ]
        self.projection = None
        if settings.tied and widths[-1] != size:  # tied embeddings can only score a vector of their own size
            self.projection = self.collection.add_parameters((size, widths[-1]), init=uniform)
        top = size if settings.tied else widths[-1]
        tied = self.embedding if settings.tied else None
        self.softmax = make_softmax(self.collection, top, unigram, settings, tied)

    def loss(self, batch: Batch, rng: np.random.Generator) -> dy.Expression:
        """The training loss of a batch, summed over its real predictions, in nats, with dropout (Eq. 43).

        rng: where the softmaxes that sample take their samples from.
        """
        real = batch.mask > 0
        if not batch.predictions:  # none of some process's sentences counts (--data-parallel): the loss of one, times 0
            real[0, 0] = True
        words = histories(batch.inputs, self.order)[:, real]
        loss = self.softmax.loss(self.hidden(words, self.dropout), batch.targets[real], rng)
        return loss if batch.predictions else loss * 0.0

    def hidden(self, words: np.ndarray, dropout: float = 0.0) -> dy.Expression:
        """What the softmax reads: contexts (n-1, N) of word ids, the oldest first -> (size,) x N.

        m = concat(M e_{t-n+1}, ..., M e_{t-1}), h = tanh(W_mh m + b_h) (Eq. 42), and so on layer by layer.
        """
        columns = words.T.ravel().tolist()
        embedded = embed(self.embedding, columns)
        (size,), number = embedded.dim()
        h = drop(dy.reshape(embedded, (len(words) * size,), number // len(words)), dropout)
        for W, b in self.layers:
            h = drop(self.activation(dy.affine_transform([b, W, h])), dropout)
        return h if self.projection is None else self.projection * h

    def log_probs(self, batch: Batch) -> np.ndarray:
        """log P(target | the n-1 words before) in nats, (T, B), without dropout; 0 on padding."""
        real = batch.mask > 0
        words, targets = histories(batch.inputs, self.order)[:, real], batch.targets[real]
        result, parts = np.zeros(batch.targets.shape), []
        for part in in_parts(np.arange(len(targets)), len(self.vocab)):
            dy.renew_cg()
            parts.append(self.softmax.log_probs(self.hidden(words[:, part]), targets[part]))
        result[real] = np.concatenate(parts)
        return result

    def start(self, batch_size: int) -> np.ndarray:
        """The state before the first word: the n-1 words last read, all of them the boundary, (n-1, B).

        It begins a new computation graph: earlier states of recurrent models are void.
        """
        dy.renew_cg()
        return np.full((self.order - 1, batch_size), Vocabulary.boundary)

    def next_words(self, state: np.ndarray, words: Sequence[int]) -> tuple[np.ndarray, dy.Expression | np.ndarray]:
        """Read one word per sentence; the new state, and log P(next word), (V,) x B in nats (`NextWords`)."""
        state = np.concatenate([state[1:], [words]])
        return state, self.softmax.distribution(self.hidden(state))


def make_softmax(
    collection: dy.ParameterCollection, size: int, unigram: np.ndarray, settings: Settings, tied: Parameter | None
) -> Softmax:
    """The output layer for hidden vectors of `size`; a cheaper one than the full softmax is loaded only where it is
    chosen. unigram: log P(word) from counting, (V,), on which those are built. tied: the embeddings to share."""
    kind = SOFTMAXES[settings.softmax]
    if kind != "full":
        from common.nn import softmaxes

        return getattr(softmaxes, kind)(softmaxes.Output(collection, size, unigram, settings, tied))
    W = tied or collection.add_parameters((len(unigram), size), init=dy.UniformInitializer(settings.init_scale))
    return FullSoftmax(collection, W, STARTS[settings.bias](unigram))


def describe(settings: Settings, words: int) -> str:
    """The model in words: everything that decides the sizes of its parameters."""
    output = settings.softmax
    if output == "class":
        output += f" ({settings.classes or 'root'} by {settings.classes_by})"
    if output == "nce":
        output += f" (Z {settings.normaliser})"
    size = settings.embedding_size or settings.hidden_size
    return (
        f"feed-forward LM, order {settings.order}, embeddings {size}{' tied' * settings.tied}, "
        f"{settings.layers} x {settings.hidden_size} {settings.activation}, softmax {output}, {words} words"
    )


def of_run(folder: Path, settings: Settings) -> tuple[FeedForwardLM, DynetParameters]:
    """The model of the run in `folder`, without its numbers, and its parameters."""
    vocab = Vocabulary.load(folder / "vocab.txt")
    unigram = None
    if settings.scores_few:
        from common.training.unigram import load_unigram

        unigram = load_unigram(folder, len(vocab))
    model = FeedForwardLM.from_settings(settings, vocab, unigram)
    return model, DynetParameters(model)
