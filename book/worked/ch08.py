"""The worked examples of chapter 8: one step of attention over three annotations, by the chapter's own functions.

Those of alignments, and of hard and local attention, stand in ch08_more.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import dynet as dy
import numpy as np

from common.nn.attention import Score
from common.nn.softmax import tied_logits
from common.nn.source_attention import BilinearScore, DotScore, Memory, MLPScore, attention_weights, context

CHAPTER = "08_attention"
SOURCE = ("mirena", "greets", "galin")
ANNOTATIONS = np.array([[0.9, -0.4], [-0.5, -0.3], [0.4, 0.8]])
"""h_1, h_2, h_3, a row for each source word."""
QUERIES = {"mirena": np.array([0.9, -0.6]), "galin": np.array([0.2, 1.0])}
"""The decoder's state by the target word that is to be written."""
W_A = np.array([[1.0, 0.0], [0.0, 2.0]])
W_QUERY, W_SOURCE, W_2 = np.eye(2), np.eye(2), np.array([[1.0, 1.0]])
"""The two blocks of W_a1, and w_a2."""
FOR_STATE = np.array([[0.5, 0.5], [0.5, -0.5], [0.5, 0.5]])
FOR_CONTEXT = np.array([[2.0, -2.0], [-2.0, -2.0], [1.0, 3.0]])
"""The two vectors of each target word: mirena, satirel and galin."""
GRADIENT = np.array([0.0, -1.0])
"""The gradient of the loss by the context, made up."""
PADDED = (3, 2)
"""The words of two sources in one batch; the second lacks the last word of the first."""


@cache
def made() -> tuple[dy.ParameterCollection, dict[str, Score]]:
    """The course's three scores with the parameters above, and the collection that holds these."""
    collection = dy.ParameterCollection()
    bilinear, mlp = BilinearScore(collection, 2, 2, 0.1), MLPScore(collection, 2, 2, 2, 0.1)
    values = ((bilinear.W_a, W_A), (mlp.W_query, W_QUERY), (mlp.W_source, W_SOURCE), (mlp.w, W_2))
    for parameter, value in values:
        parameter.set_value(value)
    return collection, {"dot": DotScore(), "bilinear": bilinear, "mlp": mlp}


def score(name: str) -> Score:
    return made()[1][name]


def numbers(expression: dy.Expression) -> np.ndarray:
    return np.array(expression.npvalue(), dtype=float).ravel()


def scores(query: np.ndarray, name: str = "dot") -> np.ndarray:
    """The score of each source word for a query, before the softmax: (3,)."""
    dy.renew_cg()
    chosen = score(name)
    return numbers(chosen.scores(chosen.keys(dy.inputTensor(ANNOTATIONS.T)), dy.inputTensor(query)))


def look(query: np.ndarray, name: str = "dot") -> tuple[np.ndarray, np.ndarray]:
    """The weights (3,) and the context (2,) of a step."""
    dy.renew_cg()
    memory = Memory.of(score(name), dy.inputTensor(ANNOTATIONS.T), np.array([len(SOURCE)]))
    found = attention_weights(score(name), memory, dy.inputTensor(query))
    return numbers(found), numbers(context(memory, found))


def annotations() -> Iterator[float]:
    for row in ANNOTATIONS:
        yield from row


def one_step() -> Iterator[float]:
    """Dot scores, exponentials, weights and contexts, for either query."""
    for query in QUERIES.values():
        yield from query
        found, (weights, mean) = scores(query), look(query)
        for row, one, weight in zip(ANNOTATIONS, found, weights, strict=True):
            for left, right in zip(row, query, strict=True):
                yield from (left, right)
            yield from (one, np.exp(one), weight)
        yield np.exp(found).sum()
        for row, weight in zip(ANNOTATIONS, weights, strict=True):
            yield from (weight, *row)
        yield from mean


def prediction() -> Iterator[float]:
    """The next word from state and context: W_hs has FOR_STATE and FOR_CONTEXT side by side, b_s is zero."""
    query = QUERIES["galin"]
    _, mean = look(query)
    dy.renew_cg()
    matrix, both = dy.inputTensor(np.hstack([FOR_STATE, FOR_CONTEXT])), dy.inputTensor(np.concatenate([query, mean]))
    logits = tied_logits(matrix, dy.inputTensor(np.zeros(3)), both)
    rows = zip(FOR_STATE, FOR_CONTEXT, numbers(logits), numbers(dy.softmax(logits)), strict=True)
    for state_row, context_row, total, prob in rows:
        yield from (*state_row, state_row @ query, *context_row, context_row @ mean, total, prob)
    alone = np.exp(FOR_STATE @ query)
    yield (alone / alone.sum())[2]


def three_scores() -> Iterator[float]:
    """The same step with either of the other two scores."""
    query = QUERIES["galin"]
    yield from query
    yield from W_A.ravel()
    yield from query @ W_A.T
    for row, *rest in zip(ANNOTATIONS, *(scores(query, n) for n in ("dot", "bilinear", "mlp")), strict=True):
        dot, bilinear, mlp = rest
        yield from (dot, bilinear, *(row + query), *np.tanh(row + query), mlp)
    for name in ("dot", "bilinear", "mlp"):
        yield from look(query, name)[0]


@cache
def gradients() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By DyNet, of the loss g . c for the dot score: by the scores (3,), annotations (3, 2) and the query (2,)."""
    dy.renew_cg()
    collection = dy.ParameterCollection()
    rows = collection.add_parameters(ANNOTATIONS.T.shape, init=dy.NumpyInitializer(ANNOTATIONS.T))
    state = collection.add_parameters(2, init=dy.NumpyInitializer(QUERIES["galin"]))
    added = collection.add_parameters((3, 1), init=0)
    memory = Memory.of(score("dot"), rows, np.array([3]))
    weights = attention_weights(score("dot"), memory, state, added)
    loss = dy.dot_product(dy.inputTensor(GRADIENT), context(memory, weights))
    loss.scalar_value()
    loss.backward()
    return tuple(np.array(one.grad_as_array(), dtype=float) for one in (added, rows, state))


def gradient() -> Iterator[float]:
    """What the loss sends to each annotation: through the mean, through the score, and in all."""
    weights, mean = look(QUERIES["galin"])
    yield from GRADIENT
    yield GRADIENT @ mean
    by_score, by_annotation, by_query = gradients()
    for place, weight in enumerate(weights):
        slope = by_score.ravel()[place]
        yield from (weight, *(weight * GRADIENT), slope, *(slope * QUERIES["galin"]), *by_annotation[:, place])
    yield from by_query


def padding() -> Iterator[float]:
    """Scores and weights of a batch of two sources, of which the second has two words and one of padding."""
    found, weights = batch()
    yield from QUERIES["galin"]
    for column in range(2):
        yield from found[:, column]
    raised = np.exp(found[:, 1])
    yield from raised / raised.sum()
    yield -10  # of minus ten to the ninth, the exponent left out
    for column in range(2):
        yield from weights[:, column]


def batch() -> tuple[np.ndarray, np.ndarray]:
    """Scores before the mask, and weights, of the batch: (3, 2) each. Padding's annotation is zero."""
    rows = np.stack([ANNOTATIONS.T, ANNOTATIONS.T * (np.arange(3) < PADDED[1])], axis=-1)
    queries = np.stack([QUERIES["galin"]] * 2, axis=-1)
    dy.renew_cg()
    words, query = dy.inputTensor(rows, batched=True), dy.inputTensor(queries, batched=True)
    memory = Memory.of(score("dot"), words, np.array(PADDED))
    found = score("dot").scores(memory.keys, query)
    weights = attention_weights(score("dot"), memory, query)
    return tuple(np.reshape(np.array(one.npvalue(), dtype=float), (3, 2), order="F") for one in (found, weights))
