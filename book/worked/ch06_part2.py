"""The worked examples of chapter 6's second part: who may come back, a state in three parts, and longer runs."""

from __future__ import annotations

import math
from collections.abc import Iterator

import dynet as dy
import numpy as np

from chapters.attentive_lm.memory import window
from chapters.attentive_lm.parts import part_bounds
from common.nn.attention import combined_scores, contexts
from common.training.averaging import LastEnds
from data.paragraphs import RETURNS, next_word_probs, retelling

BEFORE = "tavin sees halika at the trough , and halika shows tavin the gentle cow .".split()
PREFIX = ["without"]
NAMES = ("halika", "tavin", "mira")
"""Two that the first sentence mentions, and the most frequent name."""

WORDS = ("orlek", "sees", "<s>")
STATES = np.array([[1.5, 0.9, -0.4], [-1.0, -0.3, 0.2], [-2.0, 0.1, 0.6]])
"""h_1, h_2, h_3, a row each: key, value, what predicts, of one number each."""
NOW = np.array([1.0, 0.3, 0.5])
"""The state after the word "without", in the same parts."""
W_S, W_Q, V_S = np.array([[1.0]]), np.array([[0.5]]), np.array([[2.0]])


def names() -> dict[str, tuple[float, float]]:
    """P(name | without) where no sentence stands before, and after the first sentence of the paragraph."""
    alone, after = next_word_probs(PREFIX), next_word_probs(PREFIX, [BEFORE])
    return {name: (alone[name], after[name]) for name in NAMES}


def who_may_come_back() -> Iterator[float]:
    """Shares of the rule, then for each name P(drawn from the list), P(alone), P(after the paragraph)."""
    yield from (RETURNS, 1 - RETURNS)
    for name, found in names().items():
        yield from (retelling.names[retelling.kind_of[name]][name], *found)
    drawn = retelling.names["f"]["halika"]
    yield from (0.5, 1 - RETURNS, drawn, RETURNS, names()["halika"][1])


def split(state: np.ndarray) -> list[np.ndarray]:
    """Key, value, and what predicts."""
    return [state[..., start:end] for start, end in part_bounds(state.shape[-1], 3)]


def scores(keys: np.ndarray, query: np.ndarray) -> np.ndarray:
    """The combined score of keys (S, K) for a query (K,): (S,)."""
    dy.renew_cg()
    v, W, W_q, past, now = (dy.inputTensor(one) for one in (V_S, W_S, W_Q, keys.T, query[:, None]))
    return np.array(combined_scores(v, W, W_q, past, now).npvalue()).ravel().astype(float)


def weights(query: np.ndarray | None = None) -> np.ndarray:
    """Attention weights over the three states: (3,)."""
    found = np.exp(scores(split(STATES)[0], split(NOW)[0] if query is None else query))
    return found / found.sum()


def context() -> float:
    """The mean of the values."""
    found = weights()[:, None]
    dy.renew_cg()
    return float(contexts(dy.inputTensor(split(STATES)[1].T), dy.inputTensor(found)).npvalue().ravel()[0])


def three_parts() -> Iterator[float]:
    """The table of the key-value-predict step, then context and what is merged."""
    query = split(NOW)[0]
    yield from NOW
    for state, score, weight in zip(STATES, scores(split(STATES)[0], query), weights(), strict=True):
        inner = float(W_S[0, 0] * state[0] + W_Q[0, 0] * query[0])
        yield from (state[0], state[1], inner, math.tanh(inner), score, weight)
    for weight, state in zip(weights(), STATES, strict=True):
        yield from (weight, state[1])
    yield context()
    yield from (NOW[2], context())


def a_window() -> Iterator[float]:
    """The mask of a piece of three steps that begins with two states, and a memory of two."""
    yield from window(2, 3, 2).ravel()


RATE, STEPS = 0.3, 5
"""Of dropout, and how often a number is read on its way."""
ENDS_OF_EPOCHS, BEST_WEIGHT = (0.7, 1.2, 0.9, 1.3), 1.0
"""A weight at the ends of four epochs, and the value at which its loss, the square of the difference, is lowest."""


def survival() -> Iterator[float]:
    """The probability that a number comes through all steps, with a new mask at each and with one for all of them."""
    yield from (RATE, STEPS, *[1 - RATE] * STEPS, (1 - RATE) ** STEPS, 1 - RATE)


class Weight:
    """One parameter, as training hands its parameters to what averages them."""

    def arrays(self) -> list[np.ndarray]:
        return [np.array([self.value], np.float32)]


def mean_of_ends() -> Iterator[float]:
    """Each end with its loss, the mean of these losses, and then the mean of the ends with its own."""
    weight, ends = Weight(), []
    kept = LastEnds(weight, len(ENDS_OF_EPOCHS))
    for weight.value in ENDS_OF_EPOCHS:
        kept.add()
        ends.append(weight.value)
    (mean,) = (float(array[0]) for array in kept.means())
    losses = [(one - BEST_WEIGHT) ** 2 for one in ends]
    yield BEST_WEIGHT
    for one, loss in zip(ends, losses, strict=True):
        yield from (one, loss)
    yield from (np.mean(losses), mean, (mean - BEST_WEIGHT) ** 2)
