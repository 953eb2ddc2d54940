"""The worked examples of chapter 9: one step of a decoder of two numbers with two attentions and a gate, by the
chapter's own model."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.chapters import chapter_module
from common.nn.recurrent import HiddenState
from common.nn.source_attention import Memory
from common.text.vocab import Vocabulary

CHAPTER = "09_word_attention"
WORDS = ("dalena", "greets", "nevika")
"""The source."""
EMBEDDINGS = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
"""x_1, x_2, x_3, a row each."""
ANNOTATIONS = np.array([[0.6, 0.4], [0.0, 0.6], [-0.6, 0.4]])
"""h_1, h_2, h_3, made up: each word, and a share of its neighbours."""
STATE = np.array([0.5, -0.5])
"""The decoder's state before the step."""
TARGETS = {"</s>": (-1.0, -1.0), "dalena": (2.0, 0.0), "nevika": (-2.0, 0.0), "satirel": (0.0, 2.0)}
"""The target words and their embeddings; <s>, which was read last, is </s>."""
SCORE_W, SCORE_U, SCORE_V = np.eye(2), 2 * np.eye(2), np.array([[2.0, -2.0]])
"""What multiplies the query and the word in both attention scores, and the vector v."""
GATE = {"W_o": 0.5, "U_o": 1.0, "C_h": 1.0, "C_x": -1.0}
CELL = {"W_x": 0.2, "W_h": 0.5, "W_c": 1.0}
"""The matrices of gate and cell: the identity, times a number."""
GRADIENTS = np.array([[-0.2, 0.4], [-0.6, 0.0]])
"""Made-up gradients of the loss by the two gated contexts, that of annotations first."""


class Found(NamedTuple):
    """What a step computes: scores, weights and contexts of each memory, the gate and its sum, the gated contexts, the
    new state and the probabilities of the target words; float64 arrays."""

    scores: list[np.ndarray]
    weights: list[np.ndarray]
    plain: list[np.ndarray]
    inner: np.ndarray | None
    gate: np.ndarray | None
    contexts: list[np.ndarray]
    state: np.ndarray
    probabilities: dict[str, float]


def values(expression: dy.Expression) -> np.ndarray:
    return np.array(expression.npvalue()).ravel().astype(float)


@cache
def model(variant: str, output_contexts: str = "gated") -> Any:
    """The chapter's model with a simple recurrent cell and the matrices above."""
    chosen = {"hidden_size": 2, "cell": "rnn", "variant": variant, "query": "state", "dropout": 0.0}
    if variant == "gates":
        chosen["output_contexts"] = output_contexts
    source, target = (Vocabulary(list(words)) for words in (WORDS, list(TARGETS)[1:]))
    made = chapter_module(CHAPTER, "model").WordAttentionModel(source, target, **chosen)
    for score in made.scores:
        for parameter, value in ((score.W_query, SCORE_W), (score.W_source, SCORE_U), (score.w, SCORE_V)):
            parameter.set_value(value)
    if made.gated:
        for parameter, name in zip((made.W_o, made.U_o, *made.C_o), GATE, strict=True):
            parameter.set_value(GATE[name] * np.eye(2))
    layer = made.decoder.layers[0]
    for parameter, name in ((layer.W_x, "W_x"), (layer.W_h, "W_h"), *((one, "W_c") for one in made.decoder.W_c)):
        parameter.set_value(CELL[name] * np.eye(2))
    layer.b.set_value(np.zeros(2))
    made.W_g.set_value(np.hstack([0 * np.eye(2), *[np.eye(2)] * (1 + len(made.scores))]))
    return made


@cache
def step(variant: str, output_contexts: str = "gated") -> Found:
    """The first step of the decoder: it has read <s>."""
    dy.renew_cg()
    made = model(variant, output_contexts)
    memories = [
        Memory.of(score, dy.inputTensor(rows.T), np.array([len(WORDS)]))
        for score, rows in zip(made.scores, (ANNOTATIONS, EMBEDDINGS), strict=False)
    ]
    reading = made.read(dy.inputTensor(np.array([TARGETS["</s>"]]).T)).at(0)
    before = dy.inputTensor(STATE)
    found = made.step(memories, [HiddenState(before)], reading)
    scores = [values(one.scores(memory.keys, before)) for one, memory in zip(made.scores, memories, strict=True)]
    plain = [rows.T @ values(one) for rows, one in zip((ANNOTATIONS, EMBEDDINGS), found.weights, strict=False)]
    gate = None if found.gate is None else values(found.gate)
    seen = dy.concatenate([reading.embedded, found.layers[-1].hidden, *found.for_output])
    hidden = values(dy.affine_transform([made.b_g, made.W_g, seen]))
    logits = np.array(list(TARGETS.values())) @ hidden
    probabilities = np.exp(logits) / np.exp(logits).sum()
    return Found(
        scores,
        [values(one) for one in found.weights],
        plain,
        None if gate is None else np.log(gate / (1 - gate)),
        gate,
        [values(one) for one in found.contexts],
        values(found.layers[-1].hidden),
        dict(zip(TARGETS, probabilities.tolist(), strict=True)),
    )


def memories() -> Iterator[float]:
    for rows in zip(EMBEDDINGS, ANNOTATIONS, strict=True):
        for row in rows:
            yield from row


def attentions() -> Iterator[float]:
    """For annotations, then embeddings: what enters each tanh, both tanhs, the score, the weight; then the context."""
    found = step("word")
    yield from STATE
    for rows, scores, weights, context in zip(
        (ANNOTATIONS, EMBEDDINGS), found.scores, found.weights, found.plain, strict=True
    ):
        for row, score, weight in zip(rows, scores, weights, strict=True):
            inner = SCORE_W @ STATE + SCORE_U @ row
            yield from (*inner, *np.tanh(inner), score, weight)
        yield from context


def gating() -> Iterator[float]:
    """The gate's four terms and their sum, the gate and the rest: number by number."""
    found = step("gates")
    terms = gate_terms(found)
    columns = [*terms, found.inner, found.gate, 1 - found.gate]
    yield from TARGETS["</s>"]
    for place in range(2):
        yield from (column[place] for column in columns)


def behind() -> Iterator[float]:
    """For either context its shares and numbers, then the products."""
    found = step("gates")
    for share, plain, gated in zip((found.gate, 1 - found.gate), found.plain, found.contexts, strict=True):
        yield from (share[0], plain[0], share[1], plain[1], *gated)


def gate_terms(found: Found) -> list[np.ndarray]:
    """W_o x, U_o h, C_h c^h and C_x c^x."""
    parts = (np.array(TARGETS["</s>"]), STATE, *found.plain)
    return [factor * part for factor, part in zip(GATE.values(), parts, strict=True)]


def new_state() -> Iterator[float]:
    """What enters the tanh of the gated step, the sum, the state; state and contexts added up; then of each target word
    its embedding, its score, exp of it and its probability."""
    found, last = step("gates"), np.array(TARGETS["</s>"])
    inner = CELL["W_x"] * last + CELL["W_h"] * STATE + sum(found.contexts)
    shown = found.state + sum(found.contexts)
    yield from (CELL["W_x"], *last, CELL["W_h"], *STATE, *found.contexts[0], *found.contexts[1])
    for row in (inner, found.state, shown):
        yield from row
    for word, embedding in TARGETS.items():
        score = float(np.array(embedding) @ shown)
        yield from (*embedding, score, np.exp(score), found.probabilities[word])


READINGS = (("rnnsearch", "gated"), ("word", "gated"), ("gates", "gated"), ("gates", "plain"))


def next_word() -> Iterator[float]:
    """For each model the new state, and the probability of the right first word."""
    for reading in READINGS:
        found = step(*reading)
        yield from (*found.state, found.probabilities["dalena"])


@cache
def gradients() -> dict[str, np.ndarray]:
    """By DyNet: the gradient of the gate's sum, and what reaches each context, through the product and in all.

    The loss is the dot product of the gated contexts with `GRADIENTS`.
    """
    made, found = model("gates"), step("gates")
    dy.renew_cg()
    collection = dy.ParameterCollection()
    contexts = [collection.add_parameters(2, init=dy.NumpyInitializer(one)) for one in found.plain]
    reading = made.read(dy.inputTensor(np.array([TARGETS["</s>"]]).T)).at(0)
    gated = made.gated_contexts(made.gate(reading, dy.inputTensor(STATE), contexts), contexts)
    loss = dy.esum([dy.dot_product(one, dy.inputTensor(g)) for one, g in zip(gated, GRADIENTS, strict=True)])
    loss.scalar_value()
    loss.backward()
    whole = [np.array(one.grad_as_array(), dtype=float) for one in contexts]
    direct = [found.gate * GRADIENTS[0], (1 - found.gate) * GRADIENTS[1]]
    return {
        "annotations": whole[0],
        "words": whole[1],
        "direct annotations": direct[0],
        "direct words": direct[1],
        "gate": (whole[0] - direct[0]) / GATE["C_h"],
    }


def gradient() -> Iterator[float]:
    """For each number: g^h c^h, g^x c^x, their difference, o (1 - o), the gradient of the gate's sum; then what reaches
    either context through the product, through the gate and in all."""
    found, slopes = step("gates"), gradients()
    yield from GRADIENTS.ravel()
    products = [GRADIENTS[number] * found.plain[number] for number in range(2)]
    columns = [*products, products[0] - products[1], found.gate * (1 - found.gate), slopes["gate"]]
    parts = []
    for name in ("annotations", "words"):
        direct, whole = slopes[f"direct {name}"], slopes[name]
        parts += [direct, whole - direct, whole]
    for table in (columns, parts):
        for place in range(2):
            yield from (column[place] for column in table)
