"""A state whose parts have one task each: key, value, prediction (Daniluk et al. 2017).

In the model of the chapter one vector h_t does three things: it is compared with the queries of later steps, it is what
they get, and it predicts the next word. Here it may be cut into a part for each.

Letters in the shapes: K size of a key, C of a value, P of what predicts; H, T, B as in model.py; S states attended to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dynet as dy
import numpy as np

from common.nn.attention import PAST_SCORES, causal_weights, contexts
from common.nn.dropout import NO_DROPOUT, Dropout
from common.nn.recurrent import LSTM, step_through
from common.nn.softmax import embed, fold_time, tied_logits, unfold_time
from common.text.vocab import Vocabulary

from . import merges
from .model import AttentiveLM, State
from .settings import MERGES, PARTS, Settings


def part_bounds(size: int, number: int) -> list[tuple[int, int]]:
    """Where each of the parts of a state begins and ends: equal parts, but the first, the key, takes what is left."""
    part = size // number
    ends = [size - part * (number - 1 - index) for index in range(number)]
    return list(zip([0, *ends], ends, strict=False))


class PartsLM(AttentiveLM):
    """[k_t; v_t; p_t] = h_t (Daniluk et al. 2017): keys are scored, values averaged, p_t and the context predict.

    h'_t = tanh(W_c [p_t; c_t] + b_c) or another merge, of size H, since the softmax is tied to the embedding; in the
    paper it has the size of a part. With one part for all this is the model of the chapter.
    """

    def __init__(self, vocab: Vocabulary, log_frequencies: np.ndarray | None = None, **flags: Any):
        """As `NeuralModel` says."""
        settings = Settings(**flags)
        H, V, scale = settings.hidden_size, len(vocab), settings.init_scale
        self.vocab, self.dropout, self.footprint_of = vocab, settings.masks, settings.footprint
        size = f"{settings.layers} x {H}, {V} words, {settings.parts} states, {settings.merge_layer}"
        self.name = f"attentive LM, score {settings.score}, {size}"
        roles = PARTS[settings.parts]
        bounds = part_bounds(H, 1 + max(roles))
        self.key, self.value, self.predict = (bounds[role] for role in roles)
        K, C, P = (end - start for start, end in (self.key, self.value, self.predict))

        self.collection = dy.ParameterCollection()
        self.embedding = self.collection.add_parameters((V, H), init=dy.UniformInitializer(scale))
        self.layers = [LSTM(self.collection, H, H, scale, settings.forget_bias) for _ in range(settings.layers)]
        self.score = PAST_SCORES[settings.score](self.collection, K, scale)
        self.merge = getattr(merges, MERGES[settings.merge_layer])(self.collection, P, C, settings)
        bias = np.zeros(V) if log_frequencies is None else log_frequencies
        self.b = self.collection.add_parameters(V, init=dy.NumpyInitializer(bias))

    def logits(self, inputs: np.ndarray, dropout: Dropout = NO_DROPOUT) -> dy.Expression:
        """The scores of the next word at every step: word ids (T, B) -> (V,) x T*B."""
        return self.output(self.merged(self.states(inputs, dropout)), dropout)

    def merged(self, states: dy.Expression, past: dy.Expression | None = None) -> dy.Expression:
        """[p_t; c_t] of every step: states (H, T) x B -> (P + C, T) x B. past: (H, M) x B before them, if any."""
        attended = states if past is None else dy.concatenate_cols([past, states])
        context = contexts(dy.pick_range(attended, *self.value), self.weights(states, past))
        return dy.concatenate([dy.pick_range(states, *self.predict), context])

    def weights(self, states: dy.Expression, past: dy.Expression | None = None) -> dy.Expression:
        """How much every step attends to the states before it: (T, T) x B, a column a step. past: of a memory alone."""
        return causal_weights(self.scores(states, states), states.dim()[0][1])

    def scores(self, past: dy.Expression, queries: dy.Expression) -> dy.Expression:
        """The score of the keys of (H, S) x B for those of (H, T) x B -> (S, T) x B, or (S, 1) x B."""
        keys = self.score.keys(dy.pick_range(past, *self.key))
        return self.score.scores(keys, dy.pick_range(queries, *self.key))

    def output(self, merged: dy.Expression, dropout: Dropout = NO_DROPOUT) -> dy.Expression:
        """The argument of the softmax from h', by the merge: [p; c] of T steps -> (V,) x T*B."""
        return tied_logits(self.embedding, self.b, fold_time(dropout(self.merge(merged))))

    def next_words(self, state: State, words: Sequence[int]) -> tuple[State, dy.Expression]:
        """As of `AttentiveLM`."""
        hidden, layers = step_through(self.layers, embed(self.embedding, list(words)), state.layers)
        query = unfold_time(hidden, 1)
        merged = dy.concatenate([dy.pick_range(query, *self.predict), self.context(state.memory, query)])
        return State(layers, [*state.memory, hidden]), dy.log_softmax(self.output(merged))

    def context(self, memory: list[dy.Expression], query: dy.Expression) -> dy.Expression:
        """The mean of the values in the memory: (C, 1) x B; zero while it is empty."""
        if not memory:
            return dy.zeros((self.value[1] - self.value[0], 1), batch_size=query.dim()[1])
        past = dy.concatenate_cols(memory)
        return contexts(dy.pick_range(past, *self.value), dy.softmax(self.scores(past, query)))
