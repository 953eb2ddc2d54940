"""The Transformer language model once more, in NumPy float64, one position of one sentence at a time.

Written from the equations with plain loops, without a look at the batched code that it judges.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import dynet as dy
import numpy as np

from tests import rnn_reference

Weights = Mapping[str, np.ndarray]
OF_A_BLOCK = ("W_q", "W_k", "W_v", "W_o", "W_1", "b_1", "W_2", "b_2")


def softmax(scores: Sequence[float]) -> np.ndarray:
    exponents = [math.exp(score - max(scores)) for score in scores]
    return np.array(exponents) / sum(exponents)


def normalised(x: np.ndarray) -> np.ndarray:
    """Mean 0 and variance 1 (Ba et al. 2016, Eq. 3)."""
    mean = sum(x) / len(x)
    variance = sum((number - mean) ** 2 for number in x) / len(x)
    return np.array([(number - mean) / math.sqrt(variance + 1e-5) for number in x])


def wave(position: int, size: int) -> np.ndarray:
    """Vaswani et al. 2017, section 3.5: PE(position, 2i) and PE(position, 2i + 1)."""
    numbers = []
    for i in range((size + 1) // 2):
        angle = position / 10_000 ** (2 * i / size)
        numbers += [math.sin(angle), math.cos(angle)]
    return np.array(numbers[:size])


def turned(vector: np.ndarray, position: int) -> np.ndarray:
    """Su et al. 2021, Eq. 15: each pair of numbers as a complex number, times e^(i angle)."""
    numbers: list[float] = []
    for i in range(len(vector) // 2):
        angle = position / 10_000 ** (2 * i / len(vector))
        pair = complex(vector[2 * i], vector[2 * i + 1]) * complex(math.cos(angle), math.sin(angle))
        numbers += [pair.real, pair.imag]
    return np.array(numbers)


def attend(weights: Weights, block: int, heads: int, read: list[np.ndarray], rotary: bool) -> tuple[np.ndarray, list]:
    """What the last of the vectors `read` receives from all of them, and the weights of each head (Eq. 1)."""
    W_q, W_k, W_v, W_o = (weights[f"{name}{block}"] for name in OF_A_BLOCK[:4])
    size = len(W_q) // heads
    contexts, maps = [], []
    for head in range(heads):
        rows = slice(head * size, (head + 1) * size)
        query, keys = W_q[rows] @ read[-1], [W_k[rows] @ x for x in read]
        if rotary:
            query, keys = turned(query, len(read) - 1), [turned(key, place) for place, key in enumerate(keys)]
        maps.append(softmax([key @ query / math.sqrt(size) for key in keys]))
        contexts.append(sum(weight * (W_v[rows] @ x) for weight, x in zip(maps[-1], read, strict=True)))
    return W_o @ np.concatenate(contexts), maps


def network(weights: Weights, block: int, x: np.ndarray) -> np.ndarray:
    """Vaswani et al. 2017, Eq. 2."""
    W_1, b_1, W_2, b_2 = (weights[f"{name}{block}"] for name in OF_A_BLOCK[4:])
    inner = [max(0.0, sum(row * x) + bias) for row, bias in zip(W_1, b_1, strict=True)]
    return W_2 @ np.array(inner) + b_2


def run(weights: Weights, inputs: Sequence[int], heads: int, positions: str, norm: str) -> list[dict[str, Any]]:
    """What every step computes from the words so far: log_probs, and the weights of each block and head."""
    E = weights["embedding"]
    size, blocks = E.shape[1], sum(name.startswith("W_q") for name in weights)
    read: list[list[np.ndarray]] = [[] for _ in range(blocks)]  # what each block's attention has read
    steps = []
    for place, word in enumerate(inputs):
        x = E[word] * math.sqrt(size)
        if positions == "sinusoidal":
            x = x + wave(place, size)
        if positions == "learnt":
            x = x + weights["table"][place] * math.sqrt(size)
        maps = []
        for block in range(blocks):
            read[block].append(normalised(x) if norm == "pre" else x)
            attended, of_heads = attend(weights, block, heads, read[block], positions == "rotary")
            maps.append(of_heads)
            x = x + attended
            x = normalised(x) if norm == "post" else x
            x = x + network(weights, block, normalised(x) if norm == "pre" else x)
            x = normalised(x) if norm == "post" else x
        logits = E @ (normalised(x) if norm == "pre" else x) + weights["b"]
        steps.append({"log_probs": rnn_reference.log_softmax(logits), "maps": maps})
    return steps


def parameters_of(model: Any) -> dict[str, dy.Parameters]:
    """The model's parameters by the names that this file uses."""
    parameters = {"embedding": model.embedding, "b": model.b}
    if hasattr(model.positions, "table"):
        parameters["table"] = model.positions.table
    for number, block in enumerate(model.blocks):
        parameters |= {f"{name}{number}": getattr(block.attention, name) for name in OF_A_BLOCK[:4]}
        parameters |= {f"{name}{number}": getattr(block, name) for name in OF_A_BLOCK[4:]}
    return parameters
