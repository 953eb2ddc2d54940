"""What can be added to a softmax over the target words: the translations of the source words, or these themselves.

Letters in the shapes: H hidden size, S source words, T predictions, B sentences, V known target words.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.nn.softmax import fold_time

from .word_tables import WordTable

NEVER = -1e9
"""log P of a word that cannot be predicted."""
NOTHING = 1e-30
"""Added to a probability before its logarithm, because log 0 is not finite."""


class Step(NamedTuple):
    """What the output layer reads, for T predictions of each sentence.

    both: [h_t; c_t], (2H, T) x B. weights: alpha_t, (S, T) x B. source: word ids, (S, B). attention: the weights as
    numbers, (B, S), where there is one prediction and nothing is learnt from it.
    """

    both: dy.Expression
    weights: dy.Expression
    source: np.ndarray
    attention: np.ndarray | None = None

    def look_up(self, table: WordTable, words: int) -> dy.Expression:
        """l_t = L_F alpha_t: how much speaks for each word, (words, T) x B."""
        if self.attention is not None:
            return table.mean(self.source, self.attention, words)
        return table.matrix(self.source, words) * self.weights


class Part:
    """A part of the output layer; this one changes nothing."""

    def scores(self, scores: dy.Expression, step: Step) -> dy.Expression:
        """The arguments of the softmax, (V, T) x B."""
        return scores

    def of_targets(self, log_probs: dy.Expression, step: Step, targets: np.ndarray) -> dy.Expression:
        """log P(target) of every prediction, (1,) x T*B; targets: word ids, (T, B)."""
        return log_probs

    def of_words(self, log_probs: dy.Expression, step: Step, words: int) -> dy.Expression:
        """log P of every word, (words,) x T*B, from that of the first ones, (V,) x T*B."""
        return log_probs


class LexiconBias(Part):
    """softmax(W [h_t; c_t] + b + log(l_t + epsilon)), l_t = L_F alpha_t (Arthur et al. 2016).

    A word that the lexicon has for none of the source words gets log epsilon.
    """

    def __init__(self, table: WordTable, epsilon: float):
        self.table, self.epsilon = table, epsilon

    def scores(self, scores: dy.Expression, step: Step) -> dy.Expression:
        (words, _), _ = scores.dim()
        return scores + dy.log(step.look_up(self.table, words) + self.epsilon)


class Mixture(Part):
    """P(e) = (1 - s_t) P'(e) + s_t l_t(e), l_t = L_F alpha_t: P' is what the parts before this one say.

    s_t = sigmoid(a_t), and `gate` computes a_t, (1,) x T*B, from [h_t; c_t].
    """

    def __init__(self, table: WordTable, gate: Any):
        self.table, self.gate = table, gate

    def mixed(self, log_probs: dy.Expression, looked_up: dy.Expression, step: Step) -> dy.Expression:
        """log((1 - s_t) P' + s_t l_t) of R words, (R,) x T*B, from log P' and l_t."""
        a = self.gate(fold_time(step.both))
        return dy.log(dy.exp(log_probs) * dy.logistic(-a) + looked_up * dy.logistic(a) + NOTHING)

    def of_targets(self, log_probs: dy.Expression, step: Step, targets: np.ndarray) -> dy.Expression:
        shares = dy.inputTensor(self.table.of_targets(step.source, targets), batched=True)
        looked_up = dy.sum_dim(dy.cmult(step.weights, shares), [0])
        return self.mixed(log_probs, dy.reshape(looked_up, *log_probs.dim()), step)

    def of_words(self, log_probs: dy.Expression, step: Step, words: int) -> dy.Expression:
        (size,), rows = log_probs.dim()
        if words > size:
            log_probs = dy.concatenate([log_probs, dy.constant((words - size,), NEVER, batch_size=rows)])
        return self.mixed(log_probs, fold_time(step.look_up(self.table, words)), step)


class ConstantGate:
    """a = lambda, one number for all steps, 0 at first: both sides get one half (Arthur et al. 2016)."""

    def __init__(self, collection: dy.ParameterCollection):
        self.a = collection.add_parameters(1, init=0)

    def __call__(self, both: dy.Expression) -> dy.Expression:
        return self.a + dy.zeros((1,), batch_size=both.dim()[1])


class StateGate:
    """a_t = w . [h_t; c_t] + b, so that every step decides anew (after See et al. 2017, Eq. 8). w (1, 2H), b (1,)."""

    def __init__(self, collection: dy.ParameterCollection, size: int, init_scale: float):
        self.w = collection.add_parameters((1, size), init=dy.UniformInitializer(init_scale))
        self.b = collection.add_parameters(1, init=0)

    def __call__(self, both: dy.Expression) -> dy.Expression:
        return self.w * both + self.b


def lexicon_bias(collection: dy.ParameterCollection, table: WordTable, epsilon: float) -> LexiconBias:
    """Of --lexicon bias."""
    return LexiconBias(table, epsilon)


def lexicon_mixture(collection: dy.ParameterCollection, table: WordTable, epsilon: float) -> Mixture:
    """Of --lexicon linear."""
    return Mixture(table, ConstantGate(collection))
