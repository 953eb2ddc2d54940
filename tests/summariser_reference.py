"""ABS and RAS once more, in NumPy float64, one summary and one word at a time.

Written from the papers' equations, without a look at the batched code that it judges.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from tests import rnn_reference as rnn
from tests.attention_reference import context, softmax
from tests.rnn_reference import Weights, log_softmax


class Step(NamedTuple):
    """Of each step: the weights of the source words, what was made of them, the hidden state, log P(next word)."""

    weights: np.ndarray
    context: np.ndarray
    hidden: np.ndarray
    log_probs: np.ndarray


def neighbour(vectors: Sequence[np.ndarray], place: int) -> np.ndarray:
    """The vector at a place, zero before and behind the sentence."""
    return vectors[place] if 0 <= place < len(vectors) else np.zeros_like(vectors[0])


def abs_encoder(
    kind: str, weights: Weights, source: Sequence[int], history: Sequence[int], smooth: int
) -> tuple[np.ndarray, np.ndarray]:
    """p and enc(x, y_c) (Rush et al. 2015, section 3.2)."""
    words = [weights["source_embedding"][word] for word in source]
    if kind == "bag-of-words":
        p = np.full(len(words), 1 / len(words))
        return p, context(words, p)
    query = weights["encoder.P"] @ np.concatenate([weights["encoder.G"][word] for word in history])
    p = softmax([word @ query for word in words])
    reach = range(-smooth, smooth + 1)
    smoothed = [sum(neighbour(words, place + far) for far in reach) / len(reach) for place in range(len(words))]
    return p, context(smoothed, p)


def abs_steps(
    kind: str, weights: Weights, source: Sequence[int], inputs: Sequence[int], length: int, smooth: int
) -> list[Step]:
    """What ABS computes after each of the inputs (Rush et al. 2015, section 3.1); id 0 stands before the first."""
    steps, layers = [], sum(name.startswith("U.") for name in weights)
    for t in range(1, len(inputs) + 1):
        history = [0] * (length - t) + list(inputs[max(0, t - length) : t])
        hidden = np.concatenate([weights["embedding"][word] for word in history])
        for layer in range(layers):
            hidden = np.tanh(weights[f"U.{layer}"] @ hidden + weights[f"c.{layer}"])
        p, read = abs_encoder(kind, weights, source, history, smooth)
        steps.append(Step(p, read, hidden, log_softmax(weights["V"] @ hidden + weights["W"] @ read + weights["b"])))
    return steps


def ras_encoder(weights: Weights, source: Sequence[int], width: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """a_j = x_j + l_j and z_j, whose k-th number is the sum over the window of B^k's columns times a (Chopra 2016)."""
    last = len(weights["place_embedding"]) - 1
    a = [
        weights["source_embedding"][word] + weights["place_embedding"][min(place, last)]
        for place, word in enumerate(source)
    ]
    size, filters = len(a[0]), weights["W_z"]
    z = []
    for place in range(len(a)):
        result = np.zeros(len(filters))
        for k, B_k in enumerate(filters):
            for column in range(width):
                result[k] += B_k[column * size : (column + 1) * size] @ neighbour(a, place + column - width // 2)
        z.append(result)
    return a, z


def elman(weights: Weights, x: np.ndarray, state: rnn.State) -> rnn.State:
    """h_t = sigma(W_1 y_{t-1} + W_2 h_{t-1} + W_3 c_t + b); x is y_{t-1} and c_t, one above the other."""
    return (rnn.sigma(weights["W_x"] @ x + weights["W_h"] @ state[0] + weights["b"]),)


CELLS: dict[str, Callable[[Weights, np.ndarray, rnn.State], rnn.State]] = {
    "Elman": elman,
    "LSTM": lambda weights, x, state: rnn.step("lstm", weights, x, state),
}


def ras_steps(
    kind: str, weights: Weights, source: Sequence[int], inputs: Sequence[int], width: int, mean_of: str
) -> list[Step]:
    """What RAS computes after each of the inputs."""
    a, z = ras_encoder(weights, source, width)
    averaged = a if mean_of == "places" else [weights["source_embedding"][word] for word in source]
    state = tuple(weights[name] for name in ("first.0", "first.1") if name in weights)
    cell = rnn.part(weights, "layer.") | {"W_x": np.hstack([weights["layer.W_x"], weights["W_c"]])}
    steps = []
    for word in inputs:
        alpha = softmax([vector @ state[0] for vector in z])
        read = context(averaged, alpha)
        state = CELLS[kind](cell, np.concatenate([weights["embedding"][word], read]), state)
        logits = weights["W_4"] @ state[0] + weights["W_5"] @ read + weights["b"]
        steps.append(Step(alpha, read, state[0], log_softmax(logits)))
    return steps
