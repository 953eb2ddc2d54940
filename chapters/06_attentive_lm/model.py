"""The attentive language model: an LSTM that attends to its own past (Salton, Ross and Kelleher 2017).

Letters in the shapes: H hidden size, T time steps, B sentences in the batch, V vocabulary.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.nn.attention import COMBINE_STARTS, PAST_SCORES, causal_weights, contexts
from common.nn.dropout import NO_DROPOUT, Dropout
from common.nn.parameters import DynetParameters, NeuralModel
from common.nn.recurrent import LSTM, LSTMState
from common.nn.softmax import NextWords, embed, fold_time, masked_sum, negative_log_probs, tied_logits, unfold_time
from common.text.batching import Batch
from common.text.vocab import Vocabulary

from .settings import Settings


class State(NamedTuple):
    """The state of the model after some words: that of each layer, and the memory of top states h_1 ... h_t."""

    layers: list[LSTMState | None]
    memory: list[dy.Expression]


class AttentiveLM(NeuralModel, NextWords):
    """Multi-layer LSTM, attention over its past states, tied softmax.

    score: a name of `PAST_SCORES`: "single" (Eq. 9), "combined" (Eq. 10), or "none", the same model without context.
    merge_init: how W_c starts: "uniform" like every other weight, as in the paper, or "identity" on the state
    and zero on the context, so that training begins with a plain LSTM and adds attention where it lowers the loss.
    forget_bias: start of the forget gates' bias; the paper says 0, its code has 1.
    """

    settings_class, layer_class = Settings, LSTM
    names_in_files = {"score.v_s": "v_s", "score.W_s": "W_s", "score.W_q": "W_q"}

    def __init__(self, vocab: Vocabulary, log_frequencies: np.ndarray | None = None, **chosen: Any):
        """As `NeuralModel` says."""
        settings = Settings(**chosen)
        H, V, layers, scale = settings.hidden_size, len(vocab), settings.layers, settings.init_scale
        self.vocab, self.dropout = vocab, settings.masks
        softmax = f"softmax {settings.softmax}, " if settings.scores_few else ""
        self.name = f"attentive LM, score {settings.score}, {softmax}{layers} x {H}, {V} words"
        self.footprint = settings.footprint(V)
        self.collection = dy.ParameterCollection()
        self.embedding = self.add_embedding(settings)
        self.layers = [self.layer_class(self.collection, H, H, scale, settings.forget_bias) for _ in range(layers)]
        self.add_attention(settings)
        self.add_output(settings, log_frequencies)

    def add_embedding(self, settings: Settings) -> dy.Parameters:
        """(V, H). It is the matrix of the softmax, too."""
        uniform = dy.UniformInitializer(settings.init_scale)
        return self.collection.add_parameters((len(self.vocab), settings.hidden_size), init=uniform)

    def add_attention(self, settings: Settings) -> None:
        """The score, and what merges state and context: W_c (H, 2H or H) and b_c (H,)."""
        H, scale = settings.hidden_size, settings.init_scale
        self.score = PAST_SCORES[settings.score](self.collection, H, scale)
        shape = (H, 2 * H if self.score else H)
        self.W_c = self.collection.add_parameters(shape, init=COMBINE_STARTS[settings.merge_init](shape, scale))
        self.b_c = self.collection.add_parameters(H, init=0)

    def add_output(self, settings: Settings, log_frequencies: np.ndarray | None) -> None:
        """The bias of the softmax: (V,)."""
        bias = np.zeros(len(self.vocab)) if log_frequencies is None else log_frequencies
        self.b = self.collection.add_parameters(len(bias), init=dy.NumpyInitializer(bias))

    def loss(self, batch: Batch, rng: np.random.Generator | None = None) -> dy.Expression:
        """-log P of all sentences of the batch, summed, in nats, with dropout: the training loss (Eq. 1).

        rng: for softmaxes that draw samples.
        """
        logits = self.logits(self.states(batch.inputs, self.dropout), self.dropout)
        return masked_sum(negative_log_probs(logits, batch.targets), batch.mask)

    def states(self, inputs: np.ndarray, dropout: Dropout = NO_DROPOUT) -> dy.Expression:
        """h_t = RNN(x_t, h_{t-1}) through all layers (Eq. 2): word ids (T, B) -> (H, T) x B.

        Dropout is here on what enters each layer, in `output` on what enters the softmax. The memory itself holds
        whole states.
        """
        time, sentences = inputs.shape
        hidden = unfold_time(embed(self.embedding, inputs.T.ravel().tolist()), time)
        for layer in self.layers:
            hidden = layer.run(dropout(hidden), dropout.recurrent_mask(layer.hidden_size, sentences))
        return hidden

    def logits(self, states: dy.Expression, dropout: Dropout = NO_DROPOUT) -> dy.Expression:
        """Scores of the next word at every step: states (H, T) x B -> (V,) x T*B (Eq. 3, 7, 8)."""
        return self.output(self.merged(states), dropout)

    def merged(self, states: dy.Expression) -> dy.Expression:
        """[h_t; c_t] (Eq. 3), or h_t without attention: states (H, T) x B -> (2H or H, T) x B."""
        if not self.score:
            return states
        return dy.concatenate([states, contexts(states, self.weights(states))])

    def weights(self, states: dy.Expression) -> dy.Expression:
        """How much every step attends to the states before it (Eq. 4): (H, T) x B -> (T, T) x B, a column a step."""
        return causal_weights(self.scores(states, states), states.dim()[0][1])

    def scores(self, past: dy.Expression, queries: dy.Expression) -> dy.Expression:
        """Eq. 5 and 6: past (H, T) x B, queries (H, Q) x B -> (T, Q) x B, or (T, 1) x B where all Q are equal."""
        return self.score.scores(self.score.keys(past), queries)

    def output(self, merged: dy.Expression, dropout: Dropout = NO_DROPOUT) -> dy.Expression:
        """The argument of the softmax (Eq. 8): [h; c] of T steps -> (V,) x T*B."""
        return tied_logits(self.embedding, self.b, self.h_prime(merged, dropout))

    def h_prime(self, merged: dy.Expression, dropout: Dropout = NO_DROPOUT) -> dy.Expression:
        """h' = tanh(W_c [h; c] + b_c) (Eq. 7): [h; c] of T steps -> (H,) x T*B."""
        return fold_time(dropout(dy.tanh(dy.colwise_add(self.W_c * merged, self.b_c))))

    def log_probs(self, batch: Batch) -> np.ndarray:
        """log P(target | words before it) in nats, (T, B), without dropout."""
        dy.renew_cg()
        losses = negative_log_probs(self.logits(self.states(batch.inputs)), batch.targets)
        return -np.reshape(losses.npvalue(), batch.targets.shape, order="F")

    def attention(self, inputs: np.ndarray) -> np.ndarray:
        """The weights, for display: word ids (T, B) -> (T, T, B), how much of step i column t reads."""
        dy.renew_cg()
        weights = self.weights(self.states(inputs)).npvalue()
        return np.reshape(weights, (*weights.shape[:2], inputs.shape[1]))

    def start(self, batch_size: int) -> State:
        """The state before the first word. It begins a new computation graph: earlier states are void."""
        dy.renew_cg()
        return State([None] * len(self.layers), [])

    def next_words(self, state: State, words: Sequence[int]) -> tuple[State, dy.Expression]:
        """Read one word per sentence; the new state, and log P(next word), (V,) x B in nats (`NextWords`).

        One step of the equations as printed: the memory contains h_1 ... h_{t-1} when step t attends,
        and takes h_t in afterwards.
        """
        hidden, layers = embed(self.embedding, list(words)), []
        for layer, before in zip(self.layers, state.layers, strict=True):
            layers.append(layer.step(hidden, before))
            hidden = layers[-1].hidden
        merged = self.merged_with(state.memory, unfold_time(hidden, 1))
        return State(layers, [*state.memory, hidden]), self.distribution(merged)

    def distribution(self, merged: dy.Expression) -> dy.Expression:
        """log P(next word) of every word, in nats: [h; c] of one step -> (V,) x B."""
        return dy.log_softmax(self.output(merged))

    def merged_with(self, memory: list[dy.Expression], query: dy.Expression) -> dy.Expression:
        """`merged` of one step, whose state is the query, (H, 1) x B."""
        return dy.concatenate([query, self.context(memory, query)]) if self.score else query

    def context(self, memory: list[dy.Expression], query: dy.Expression) -> dy.Expression:
        """c_t from h_1 ... h_{t-1} and h_t (H, 1) x B (Eq. 3, 4): (H, 1) x B; zero while the memory is empty."""
        if not memory:
            return dy.zeros(query.dim()[0], batch_size=query.dim()[1])
        past = dy.concatenate_cols(memory)
        return contexts(past, dy.softmax(self.scores(past, query)))


def make_model(
    vocab: Vocabulary, settings: Settings, log_frequencies: np.ndarray | None = None, folder: Path | None = None
) -> AttentiveLM:
    """The model that the settings of a run describe, before training.

    folder: of the run, for the frequencies that a cheaper softmax is built on. What makes another model than this one,
    the others do not need, so it is imported here.
    """
    if settings.variant:
        variant = importlib.import_module(f".{settings.variant}", __package__)
        return variant.make_model(vocab, settings, log_frequencies, folder)
    return AttentiveLM.from_settings(settings, vocab, log_frequencies)


def of_run(folder: Path, settings: Settings) -> tuple[AttentiveLM, DynetParameters]:
    """The model of the run in `folder`, without its numbers, and its parameters."""
    model = make_model(Vocabulary.load(folder / "vocab.txt"), settings, folder=folder)
    return model, DynetParameters(model)
