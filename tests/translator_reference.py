"""The Transformer that translates once more, in NumPy float64, one position of one sentence at a time.

Written from the equations with plain loops, without a look at the batched code that it judges.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tests import rnn_reference
from tests.transformer_reference import normalised, softmax, turned, wave

Weights = Mapping[str, np.ndarray]
"""By `part name`: "encoder0 W_q", "decoder1 source_W_k", "target E"."""


class Kind(NamedTuple):
    """What the flags choose. shown: the head whose weights are shown, counted from 1; 0: the mean of all."""

    layers: int
    heads: int
    positions: str
    norm: str
    shown: int


class Step(NamedTuple):
    """What is computed at a step of the target: log P(next word), and how much of each source word is shown."""

    log_probs: np.ndarray
    weights: np.ndarray


def attend(
    weights: Weights, part: str, kind: Kind, query: np.ndarray, place: int, read: Sequence[np.ndarray], rotate: bool
) -> tuple[np.ndarray, list[np.ndarray]]:
    """What a vector at a place receives from all that are read, and the weights of each head (Eq. 1)."""
    W_q, W_k, W_v, W_o = (weights[part + name] for name in ("W_q", "W_k", "W_v", "W_o"))
    size = len(W_q) // kind.heads
    contexts, maps = [], []
    for head in range(kind.heads):
        rows = slice(head * size, (head + 1) * size)
        asked, keys = W_q[rows] @ query, [W_k[rows] @ x for x in read]
        if rotate:
            asked, keys = turned(asked, place), [turned(key, number) for number, key in enumerate(keys)]
        maps.append(softmax([key @ asked / math.sqrt(size) for key in keys]))
        contexts.append(sum(weight * (W_v[rows] @ x) for weight, x in zip(maps[-1], read, strict=True)))
    return W_o @ np.concatenate(contexts), maps


def network(weights: Weights, part: str, x: np.ndarray) -> np.ndarray:
    """Vaswani et al. 2017, Eq. 2."""
    inner = weights[f"{part}W_1"] @ x + weights[f"{part}b_1"]
    return weights[f"{part}W_2"] @ np.where(inner > 0, inner, 0) + weights[f"{part}b_2"]


def place(weights: Weights, side: str, kind: Kind, word: int, number: int) -> np.ndarray:
    """The embedding of a word, scaled, with its position."""
    E = weights[f"{side} E"]
    x = E[word] * math.sqrt(E.shape[1])
    if kind.positions == "sinusoidal":
        x = x + wave(number, len(x))
    if kind.positions == "learnt":
        x = x + weights[f"{side} table"][number] * math.sqrt(len(x))
    return x


def before(kind: Kind, x: np.ndarray) -> np.ndarray:
    return normalised(x) if kind.norm == "pre" else x


def after(kind: Kind, x: np.ndarray) -> np.ndarray:
    return normalised(x) if kind.norm == "post" else x


def annotate(weights: Weights, kind: Kind, source: Sequence[int]) -> list[np.ndarray]:
    """A vector for each source word, which attends to all of them."""
    vectors = [place(weights, "source", kind, word, number) for number, word in enumerate(source)]
    for layer in range(kind.layers):
        part, rotary = f"encoder{layer} ", kind.positions == "rotary"
        read = [before(kind, x) for x in vectors]
        attended = [attend(weights, part, kind, x, number, read, rotary)[0] for number, x in enumerate(read)]
        vectors = [after(kind, x + received) for x, received in zip(vectors, attended, strict=True)]
        vectors = [after(kind, x + network(weights, part, before(kind, x))) for x in vectors]
    return [before(kind, x) for x in vectors]


def steps(weights: Weights, kind: Kind, source: Sequence[int], inputs: Sequence[int]) -> list[Step]:
    """What the decoder computes after each of the inputs."""
    annotations = annotate(weights, kind, source)
    read: list[list[np.ndarray]] = [[] for _ in range(kind.layers)]  # what each block's self-attention has read
    result = []
    for number, word in enumerate(inputs):
        x, maps = place(weights, "target", kind, word, number), []
        for layer in range(kind.layers):
            part = f"decoder{layer} "
            read[layer].append(before(kind, x))
            received, _ = attend(weights, part, kind, before(kind, x), number, read[layer], kind.positions == "rotary")
            x = after(kind, x + received)
            received, of_heads = attend(weights, f"{part}source_", kind, before(kind, x), number, annotations, False)
            x = after(kind, x + received)
            x = after(kind, x + network(weights, part, before(kind, x)))
            maps += of_heads
        logits = weights["target E"] @ before(kind, x) + weights["target b"]
        shown = maps[kind.shown - 1] if kind.shown else sum(maps) / len(maps)
        result.append(Step(rnn_reference.log_softmax(logits), shown))
    return result
