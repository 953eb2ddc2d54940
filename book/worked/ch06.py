"""The worked examples of chapter 6: attention over three states of two numbers each, by the chapter's own functions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import dynet as dy
import numpy as np

from book.figures.recorded import recorded
from book.worked.ch05 import W_HH, factors
from common.evaluation.perplexity import perplexity
from common.nn.attention import combined_scores, contexts, single_scores
from common.text.corpus import load_corpus

WORDS = ("orlek", "sees", "floran")
MEMORY = np.array([[0.9, -0.2], [-0.6, -0.6], [-0.2, 0.9]])
"""h_1, h_2, h_3, a row each."""
W_S, V_S = np.eye(2), np.array([[1.0, 1.0]])
W_Q = 2 * np.eye(2)
QUERIES = {"floran brings": np.array([0.0, 0.9]), "orlek brings": np.array([0.9, 0.0])}
"""The current state h_t by the two words read last."""
GRADIENT = np.array([-1.0, 0.0])
"""The gradient of the loss by the context, made up."""


def scores(query: np.ndarray | None = None) -> np.ndarray:
    """The single score of each state, or the combined one for a query: (3,)."""
    dy.renew_cg()
    v, W, past = (dy.inputTensor(one) for one in (V_S, W_S, MEMORY.T))
    if query is None:
        found = single_scores(v, W, past)
    else:
        found = combined_scores(v, W, dy.inputTensor(W_Q), past, dy.inputTensor(query[:, None]))
    return np.array(found.npvalue()).ravel().astype(float)


def weights(query: np.ndarray | None = None) -> np.ndarray:
    """Attention weights over the three states: (3,)."""
    dy.renew_cg()
    return np.array(dy.softmax(dy.inputTensor(scores(query))).npvalue()).ravel().astype(float)


def context(query: np.ndarray | None = None) -> np.ndarray:
    """The weighted mean of the three states: (2,)."""
    chosen = weights(query)
    dy.renew_cg()
    return np.array(contexts(dy.inputTensor(MEMORY.T), dy.inputTensor(chosen[:, None])).npvalue()).ravel().astype(float)


def memory() -> Iterator[float]:
    for state in MEMORY:
        yield from state


def single() -> Iterator[float]:
    """The table of the single score, then the context."""
    for state, score, weight in zip(MEMORY, scores(), weights(), strict=True):
        yield from (*np.tanh(state), score, math.exp(score), weight)
    total = np.exp(scores()).sum()
    yield from (total, math.exp(scores()[0]), total, weights()[0])
    for weight, state in zip(weights(), MEMORY, strict=True):
        yield from (weight, *state)
    yield from context()


def combined() -> Iterator[float]:
    """The combined score for either query: what enters each tanh, the scores, the weights."""
    for query in QUERIES.values():
        shift = W_Q @ query
        yield from (*query, *shift)
        for state, score, weight in zip(MEMORY, scores(query), weights(query), strict=True):
            entering = state + shift
            yield from (*entering, *np.tanh(entering), score, weight)
        yield from context(query)


def merged() -> Iterator[float]:
    """State, context, and the two one above the other, after *floran brings*."""
    query = QUERIES["floran brings"]
    yield from (*query, *context(query), *query, *context(query))


@cache
def gradient_by_score() -> np.ndarray:
    """dloss / dscore_i of the single score, by DyNet: (3,)."""
    dy.renew_cg()
    collection = dy.ParameterCollection()
    parameter = collection.add_parameters(3, init=dy.NumpyInitializer(scores()))
    mean = contexts(dy.inputTensor(MEMORY.T), dy.reshape(dy.softmax(parameter), (3, 1)))
    loss = dy.dot_product(dy.inputTensor(GRADIENT), dy.reshape(mean, (2,)))
    loss.scalar_value()
    loss.backward()
    return np.array(parameter.grad_as_array(), dtype=float)


def gradient() -> Iterator[float]:
    """How useful each state is, how far above the mean, and what that makes of its score."""
    use = MEMORY @ GRADIENT
    mean = float(context() @ GRADIENT)
    yield from (*GRADIENT, mean)
    for one, weight, slope in zip(use, weights(), gradient_by_score(), strict=True):
        yield from (one, one - mean, weight, slope)
    yield round(float(gradient_by_score().sum()), 6)


def short_way() -> Iterator[float]:
    """What nine steps of chapter 5's network leave of a gradient, and what the weight of *orlek* leaves."""
    each = factors(W_HH, 1.0, 9)
    yield from (W_HH, len(each), each[0], each[-1], each.prod())
    yield weights(QUERIES["floran brings"])[WORDS.index("orlek")]


def how_many_scores() -> Iterator[float]:
    """Scores of a whole sentence, for one of 20 steps and one of 40: as many as its steps have states before them."""
    for steps in (20, 40):
        yield from (steps, np.triu(np.ones((steps, steps)), k=1).sum())


COSTS = (5.5, 2.0, 1.0, 0.5)
"""What a model pays for three words and `</s>`, made up, in nats."""


def accounting() -> Iterator[float]:
    """One sentence's perplexity three ways: honest, as published, and what is left of it when divided rightly."""
    yield from COSTS
    late = sum(COSTS[1:])
    for cost, divisor in ((sum(COSTS), len(COSTS)), (late, len(COSTS)), (late, len(COSTS) - 1)):
        yield from (cost, divisor, perplexity(-cost, divisor))


PREDICTIONS, SENTENCES = 82_430, 3_761
"""The test split of the Penn Treebank: words and sentence ends, and sentences."""
PUBLISHED, OF_FIRST_WORD = 70.1, 5.5
"""The paper's test perplexity, and what a first word costs an n-gram model, in nats (RESULTS.md)."""


def with_first_words() -> Iterator[float]:
    """The published perplexity with the first words in the sum."""
    every = PREDICTIONS / SENTENCES
    published, added = math.log(PUBLISHED), OF_FIRST_WORD / every
    yield from (PREDICTIONS, SENTENCES, every, OF_FIRST_WORD, every, added, PUBLISHED, published)
    yield from (published + added, math.exp(published + added))


def by_score() -> Iterator[float]:
    """Test perplexity and that of names that come back, means over the recorded runs, and the oracle's."""
    found = recorded("06_attentive_lm")
    recall = found["phenomena"]["recall"]
    for score in ("none", "single", "combined"):
        yield from (np.mean(found["test"][score]), np.mean(recall[score]))
    yield from (load_corpus("village").oracle("test")["perplexity"], recall["oracle"])


def gap() -> Iterator[float]:
    """What is missing without attention on names that come back, in nats, means over the runs, and what is won back."""
    recall = recorded("06_attentive_lm")["phenomena"]["recall"]
    none, combined = (np.mean(np.log(recall[score])) for score in ("none", "combined"))
    missing = none - np.log(recall["oracle"])
    yield from (missing, none - combined, round(100 * (none - combined) / missing), len(recall["none"]))
